"""Cards of JSON 2.0 to HTML, as the client shows them.

Every text passes markupsafe or the markdown sanitiser; sizes go into data attributes, which the
page turns into styles, since the page's policy allows no inline style.
"""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from typing import Final

from markupsafe import Markup

from rankscope.model.text import Language
from sandbox.feishu.cardspec import TEMPLATES
from sandbox.feishu.render_inputs import INPUTS, Look, attributes, plain
from sandbox.feishu.render_chart import render_chart
from sandbox.feishu.render_markdown import IMAGES, Names, color_class, render_markdown
from sandbox.feishu.render_table import render_table

