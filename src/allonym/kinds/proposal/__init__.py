"""Proposing what a column is, from its name and its cells, with the evidence for it."""

from allonym.kinds.proposal.available import Ontologies
from allonym.kinds.proposal.evidence import Evidence
from allonym.kinds.proposal.profile import Proposal
from allonym.kinds.proposal.propose import propose

__all__ = ["Evidence", "Ontologies", "Proposal", "propose"]
