"""The report page over real Redis records and real answers; what it shows is read as a browser would."""

import re
from dataclasses import replace

import pytest
from redis import Redis
from starlette.testclient import TestClient

from bot.app import create_app
from rankscope.links import page_link
from rankscope.model.report import Report
from rankscope.model.state import CaptureRecord, CaptureState
from rankscope.settings import Settings
from rankscope.store.captures import CaptureStore
from rankscope.store.state import State
from tests.cards.builders import (
    PRINT_ID,
    healthy_report,
    hostile_report,
    job,
    large_report,
    partial_report,
    record,
    small_report,
)
from tests.cards.capture_lines import capture_lines
