"""What people are called (contact/v3/user/get); the emulator's app may read contacts."""

from fastapi import APIRouter, Depends, Request

from sandbox.feishu.codes import ApiError
from sandbox.feishu.openapi.gateway import emulator_of, gate, success

Json = dict[str, object]
ID_TYPES = frozenset({"open_id", "user_id", "union_id"})
router = APIRouter(prefix="/open-apis/contact/v3/users", dependencies=[Depends(gate)])


@router.get("/{user_id}")
async def get(request: Request, user_id: str) -> Json:
    """Return one person."""
    id_type = request.query_params.get("user_id_type", "open_id")
    if id_type not in ID_TYPES:
        raise ApiError(40001, f"user_id_type {id_type!r}")
    for person in emulator_of(request).world.humans:
        if getattr(person, id_type) == user_id:
            ids = {name: getattr(person, name) for name in sorted(ID_TYPES)}
            return success({"user": {**ids, "name": person.name}})
    raise ApiError(41012, f"{id_type} {user_id!r}")
