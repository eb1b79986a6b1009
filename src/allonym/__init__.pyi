"""The public names of allonym: the only list of them. `allonym.__getattr__` reads this file."""

from allonym.methods.abril import Abril as Abril
from allonym.methods.exponential import Exponential as Exponential
from allonym.methods.fusion import Fusion as Fusion
from allonym.methods.generalise import Generalise as Generalise
from allonym.methods.mdav import MDAV as MDAV
from allonym.methods.noise import Noise as Noise
from allonym.methods.randomise import RandomiseFrequency as RandomiseFrequency
from allonym.methods.randomise import RandomiseUniform as RandomiseUniform
from allonym.methods.recoding import Recoding as Recoding
from allonym.methods.recoding import RecodingOrdered as RecodingOrdered
from allonym.methods.s_mdav import SMDAV as SMDAV
from allonym.methods.sa_mdav import SAMDAV as SAMDAV
from allonym.methods.sa_mdav import SAMDAVStatic as SAMDAVStatic
from allonym.ontology.catalog import ontology as ontology
from allonym.ontology.catalog.about import OntologyInfo as OntologyInfo
from allonym.ontology.linking.link import Link as Link
from allonym.ontology.linking.link import link as link
from allonym.ontology.readers import read_taxonomy as read_taxonomy
from allonym.ontology.scope import Scope as Scope
from allonym.ontology.taxonomy import Source as Source
from allonym.ontology.taxonomy import Taxonomy as Taxonomy
from allonym.ontology.word_similarity import similarity as similarity
from allonym.ontology.wordnet import wordnet as wordnet
from allonym.pipeline.compare import compare as compare
from allonym.pipeline.disclosure.frames import unique_combinations as unique_combinations
from allonym.pipeline.fit import Fitted as Fitted
from allonym.pipeline.inspect import Inspection as Inspection
from allonym.pipeline.inspect import inspect as inspect
from allonym.pipeline.run import Release as Release
from allonym.plan.column import Column as Column
from allonym.plan.column import household as household
from allonym.plan.column import identifier as identifier
from allonym.plan.column import keep as keep
from allonym.plan.column import quasi as quasi
from allonym.plan.column import sensitive as sensitive
from allonym.plan.column import unit as unit
from allonym.plan.column import weight as weight
from allonym.plan.model import Plan as Plan
from allonym.plan.ontologies import add_ontology as add_ontology
from allonym.plan.ontologies import ontologies as ontologies
from allonym.plan.ontologies import remove_ontology as remove_ontology
from allonym.plan.privacy import Privacy as Privacy

__version__: str
__all__: list[str]
