"""Images and files: upload and download."""

from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from starlette.datastructures import UploadFile
from starlette.responses import Response

from sandbox.feishu.codes import ApiError
from sandbox.feishu.openapi.access import standing
from sandbox.feishu.openapi.gateway import emulator_of, gate, success
from sandbox.feishu.uploads import Upload

Json = dict[str, object]
router = APIRouter(prefix="/open-apis/im/v1", dependencies=[Depends(gate)])


async def _part(request: Request, name: str) -> bytes:
    part = (await request.form()).get(name)
    if not isinstance(part, UploadFile):
        raise ApiError(234001, f"{name} must be a file part of multipart/form-data")
    return await part.read()


async def _field(request: Request, name: str) -> str:
    value = (await request.form()).get(name)
    return value if isinstance(value, str) else ""


@router.post("/images")
async def add_image(request: Request) -> Json:
    """Take an image."""
    body, purpose = await _part(request, "image"), await _field(request, "image_type")
    return success({"image_key": emulator_of(request).world.uploads.add_image(body, purpose)})


@router.post("/files")
async def add_file(request: Request) -> Json:
    """Take a file."""
    body = await _part(request, "file")
    file_type, name = await _field(request, "file_type"), await _field(request, "file_name")
    return success({"file_key": emulator_of(request).world.uploads.add_file(body, file_type, name)})


@router.get("/images/{key}")
async def get_image(request: Request, key: str) -> Response:
    """Return an image that the bot uploaded."""
    return _download(emulator_of(request).world.uploads.images.get(key))


@router.get("/files/{key}")
async def get_file(request: Request, key: str) -> Response:
    """Return a file that the bot uploaded."""
    return _download(emulator_of(request).world.uploads.files.get(key))


@router.get("/messages/{message_id}/resources/{key}")
async def get_resource(request: Request, message_id: str, key: str) -> Response:
    """Return an image or file that a message holds."""
    emulator = emulator_of(request)
    if key not in standing(emulator, message_id, recalled=230110).content:
        raise ApiError(234003)
    uploads = emulator.world.uploads
    return _download(uploads.images.get(key) or uploads.files.get(key))


def _download(upload: Upload | None) -> Response:
    if upload is None:
        raise ApiError(234005)
    headers = {}
    if upload.name:
        headers["Content-Disposition"] = f"attachment; filename*=UTF-8''{quote(upload.name)}"
    return Response(upload.body, media_type=upload.media_type, headers=headers)
