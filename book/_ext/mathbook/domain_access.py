"""Access to the domain `mc`, and the warning about a statement that does not exist or does not fit."""

import re

from docutils import nodes
from sphinx.util import logging

DOMAIN = "mc"
STATEMENT_DIRECTIVE = re.compile(r"^\s*:{3,}\{mc:statement\}\s+([\w.]+)", re.MULTILINE)
logger = logging.getLogger(__name__)


def get_domain(env):
    """Return the domain `mc` of a build environment, which records where statements are shown and used."""
    return env.get_domain(DOMAIN)


def warn_invalid(problem, location, remedy="write an address that exists"):
    """Warn, which fails the build, and return a node that stands for what is missing."""
    text = str(problem)
    message = text if ": " in text and remedy == "" else f"{text}: {remedy}"
    logger.warning(message, location=location, type="mathbook", subtype="statement")
    return nodes.inline(text, text)
