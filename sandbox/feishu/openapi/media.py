"""Images and files: upload and download."""

import io
from urllib.parse import quote

from fastapi import APIRouter, Depends, Request
from python_multipart import parse_form
from python_multipart.exceptions import FormParserError
from python_multipart.multipart import Field, File
from starlette.responses import Response

from sandbox.feishu.codes import ApiError
from sandbox.feishu.openapi.access import standing
from sandbox.feishu.openapi.gateway import emulator_of, gate, success
from sandbox.feishu.uploads import Upload

Json = dict[str, object]
router = APIRouter(prefix="/open-apis/im/v1", dependencies=[Depends(gate)])


async def _form(request: Request, part: str) -> tuple[bytes, dict[str, str]]:
    """Return one part of a form and its text fields; raises ApiError 234001.

    The SDK sends the part without a file name, for which common form parsers make text of it.
    """
    parts: dict[str, bytes] = {}

    def on_field(field: Field) -> None:
        parts[_name(field.field_name)] = field.value or b""

    def on_file(file: File) -> None:
        file.file_object.seek(0)
        parts[_name(file.field_name)] = file.file_object.read()
        file.close()

    headers = {"Content-Type": request.headers.get("Content-Type", "").encode()}
    try:
        parse_form(headers, io.BytesIO(await request.body()), on_field, on_file)
    except FormParserError as error:
        raise ApiError(234001, "the body is not multipart/form-data") from error
    if part not in parts:
        raise ApiError(234001, f"{part} is required")
    texts = {name: value.decode(errors="replace") for name, value in parts.items() if name != part}
    return parts[part], texts


def _name(name: bytes | None) -> str:
    return (name or b"").decode(errors="replace")


@router.post("/images")
async def add_image(request: Request) -> Json:
    """Take an image."""
    body, texts = await _form(request, "image")
    key = emulator_of(request).world.uploads.add_image(body, texts.get("image_type", ""))
    return success({"image_key": key})


@router.post("/files")
async def add_file(request: Request) -> Json:
    """Take a file."""
    body, texts = await _form(request, "file")
    uploads = emulator_of(request).world.uploads
    key = uploads.add_file(body, texts.get("file_type", ""), texts.get("file_name", ""))
    return success({"file_key": key})


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
