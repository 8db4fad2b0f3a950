"""Access to the domain `mc`, warnings about what cannot be shown, and the directives and roles that give them."""

import re
from abc import ABC, abstractmethod
from typing import Any

from docutils import nodes
from sphinx.environment import BuildEnvironment
from sphinx.util import logging
from sphinx.util.docutils import SphinxDirective, SphinxRole

from mathbook.values import InvalidValue, find_statement

DOMAIN = "mc"
STATEMENT_DIRECTIVE = re.compile(r"^\s*:{3,}\{mc:statement\}\s+([\w.]+)", re.MULTILINE)
logger = logging.getLogger(__name__)


def get_domain(env: BuildEnvironment) -> Any:
    """Return the domain `mc` of a build environment."""
    return env.get_domain(DOMAIN)


def warn_invalid(issue: str | InvalidValue, location: object, remedy: str = "") -> nodes.inline:
    """Log a warning, which fails a build with `-W`, and return a node that takes the place of the statement.

    `issue` is a text or an InvalidValue, whose remedy is taken unless one is given.
    """
    text = str(issue)
    message = f"{text}: {remedy or getattr(issue, 'remedy', '')}"
    logger.warning(message, location=location, type="mathbook", subtype="statement")
    return nodes.inline(text, text)


class CheckedDirective(SphinxDirective, ABC):
    """A directive whose `content_nodes` may raise InvalidValue, which becomes a warning in their place."""

    def run(self) -> list[nodes.Node]:
        """Return the nodes, or a warning in their place."""
        try:
            return self.content_nodes()
        except InvalidValue as error:
            return [self.warning_node(error)]

    @abstractmethod
    def content_nodes(self) -> list[nodes.Node]:
        """Return the nodes of the directive.

        Raises: InvalidValue.
        """

    def warning_node(self, issue: str | InvalidValue, remedy: str = "") -> nodes.paragraph:
        """Warn of an issue, and return a paragraph that names it."""
        return nodes.paragraph("", "", warn_invalid(issue, self.get_location(), remedy))

    def lookup(self, kind: type, remedy: str) -> Any:
        """Return the statement at the first argument.

        Raises: InvalidValue where there is none, or one that is no `kind`.
        """
        statement = find_statement(self.arguments[0])
        if not isinstance(statement, kind):
            raise InvalidValue(f"`{self.arguments[0]}` is not of the kind {kind.__name__}", remedy)
        return statement


class CheckedRole(SphinxRole, ABC):
    """A role whose `node` may raise InvalidValue, which becomes a warning in its place."""

    def run(self) -> tuple[list[nodes.Node], list]:
        """Return the node, or a warning in its place."""
        try:
            return [self.node()], []
        except InvalidValue as error:
            return [warn_invalid(error, self.get_location())], []

    @abstractmethod
    def node(self) -> nodes.Node:
        """Return the node.

        Raises: InvalidValue.
        """
