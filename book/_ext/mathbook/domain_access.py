"""Access to the domain `mc`, and warnings about statements that do not exist or cannot be shown."""

import re

from docutils import nodes
from sphinx.util import logging

DOMAIN = "mc"
STATEMENT_DIRECTIVE = re.compile(r"^\s*:{3,}\{mc:statement\}\s+([\w.]+)", re.MULTILINE)
logger = logging.getLogger(__name__)


def get_domain(env):
    """Return the domain `mc` of a build environment."""
    return env.get_domain(DOMAIN)


def warn_invalid(problem, location, remedy="write an address that exists"):
    """Log a warning, which fails a build with `-W`, and return a node that takes the place of the statement."""
    text = str(problem)
    message = text if ": " in text and remedy == "" else f"{text}: {remedy}"
    logger.warning(message, location=location, type="mathbook", subtype="statement")
    return nodes.inline(text, text)
