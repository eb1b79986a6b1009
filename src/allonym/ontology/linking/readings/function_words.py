"""Words that change or leave open what other words mean, for each language: negations, "other", "unknown", "and"."""

from __future__ import annotations

_WORDS = {
    "en": {
        "negators": "no not never neither nor none cannot nothing nobody former formerly ex less denies",
        "negating_prepositions": "without w/o sans except exc excluding excl lacking minus",
        "negating_prefixes": "non un anti",
        "negating_suffixes": "free negative absent excluded denied",
        "residual": "other others misc miscellaneous various unspecified unknown unidentified unassigned unclassified "
        "undetermined uncategorized uncategorised unlisted nos nec nfs na n/a tbd tba elsewhere",
        "residual_phrases": "none|not applicable|none of the above|none of these|all other|all others|any other|"
        "other than above|not available|not specified|not otherwise specified|not elsewhere classified|"
        "not further specified|not known|not stated|not reported|not recorded|not assigned|not given|not determined|"
        "not answered|not provided|not classified|no answer|no response|no data|no information|no value|don't know|"
        "dont know|do not know|refused|declined|refused to answer|declined to answer|prefer not to say|"
        "prefer not to answer|missing|blank|null|nil|to be determined|not listed|not sure|unsure|undefined|"
        "no opinion|not asked|not in universe|inapplicable",
        "conjunctions": "and or",
        "classifiers": "type grade stage class level phase degree group category part step tier number no nr",
    },
    "de": {
        "negators": "kein keine keinen keinem keiner keines nicht nie niemals weder noch nichts ehemals ehemalige "
        "ehemaliger ehemaliges früher frühere früherer ex weniger",
        "negating_prepositions": "ohne außer ausser ausgenommen exkl exklusive",
        "negating_prefixes": "un anti",
        "negating_suffixes": "frei negativ",
        "residual": "andere anderer anderes anderen sonstige sonstiger sonstiges sonstigen übrige übriges divers "
        "diverse diverses verschiedene verschiedenes unbekannt unbekannte unbekanntes unspezifiziert sonst nnb",
        "residual_phrases": "keine|keines|keine angabe|keine angaben|keine antwort|k a|nicht zutreffend|nicht bekannt|"
        "nicht angegeben|nicht anwendbar|nicht verfügbar|nicht näher bezeichnet|nicht zugeordnet|weiß nicht|"
        "weiss nicht|trifft nicht zu|ohne angabe|entfällt|fehlt",
        "conjunctions": "und oder bzw",
        "classifiers": "typ grad stadium klasse stufe phase gruppe kategorie teil nummer nr",
    },
    "nl": {
        "negators": "geen niet nooit noch niets voormalig voormalige ex minder",
        "negating_prepositions": "zonder behalve uitgezonderd exclusief excl",
        "negating_prefixes": "non on anti",
        "negating_suffixes": "vrij negatief afwezig",
        "residual": "andere ander anders overig overige diverse divers onbekend onbekende ongespecificeerd nvt",
        "residual_phrases": "geen|geen antwoord|geen opgave|niet van toepassing|niet bekend|niet beschikbaar|"
        "niet gespecificeerd|niet opgegeven|weet niet|geen van deze|geen van bovenstaande",
        "conjunctions": "en of",
        "classifiers": "type graad stadium klasse niveau fase groep categorie deel nummer nr",
    },
    "fr": {
        "negators": "pas jamais aucun aucune ni nul nulle rien ancien ancienne anciens anciennes ex moins",
        "negating_prepositions": "sans sauf excepté hors hormis",
        "negating_prefixes": "non anti",
        "negating_suffixes": "négatif négative absent absente exclu exclue",
        "residual": "autre autres divers diverse diverses inconnu inconnue inconnus inconnues indéterminé indéterminée "
        "sai nca",
        "residual_phrases": "aucun|aucune|sans objet|sans réponse|non applicable|non disponible|non précisé|"
        "non précisée|non spécifié|non spécifiée|non renseigné|non renseignée|non classé|non communiqué|"
        "ne sait pas|pas de réponse|pas de données|aucun de ces choix|aucune réponse|nsp",
        "conjunctions": "et ou",
        "classifiers": "type grade stade classe niveau phase degré groupe catégorie partie numéro",
    },
    "es": {
        "negators": "no nunca jamás ni ningún ninguno ninguna nada antiguo antigua ex menos",
        "negating_prepositions": "sin excepto salvo excluyendo",
        "negating_prefixes": "anti",
        "negating_suffixes": "negativo negativa ausente excluido excluida",
        "residual": "otro otra otros otras varios varias diverso diversos desconocido desconocida indeterminado "
        "indeterminada inespecífico",
        "residual_phrases": "ninguno|ninguna|no aplica|no aplicable|no disponible|no especificado|no especificada|"
        "no consta|no sabe|no contesta|no sabe no contesta|sin datos|sin respuesta|sin especificar|sin información|"
        "ninguno de los anteriores|ns nc",
        "conjunctions": "y e o u",
        "classifiers": "tipo grado estadio clase nivel fase grupo categoría parte número",
    },
    "it": {
        "negators": "non mai né nessun nessuno nessuna niente ex meno",
        "negating_prepositions": "senza eccetto tranne escluso esclusi",
        "negating_prefixes": "anti",
        "negating_suffixes": "negativo negativa assente escluso esclusa",
        "residual": "altro altra altri altre vari varie diverso diversi sconosciuto sconosciuta ignoto ignota "
        "imprecisato nas",
        "residual_phrases": "nessuno|nessuna|non applicabile|non disponibile|non specificato|non specificata|non noto|"
        "non nota|non indicato|non so|non risponde|nessuna risposta|nessuno dei precedenti|senza risposta",
        "conjunctions": "e ed o od",
        "classifiers": "tipo grado stadio classe livello fase gruppo categoria parte numero",
    },
    "pt": {
        "negators": "não nunca jamais nem nenhum nenhuma nada antigo antiga ex menos",
        "negating_prepositions": "sem exceto salvo excluindo",
        "negating_prefixes": "anti",
        "negating_suffixes": "negativo negativa ausente excluído excluída",
        "residual": "outro outra outros outras vários várias diverso diversos desconhecido desconhecida indeterminado "
        "indeterminada soe",
        "residual_phrases": "nenhum|nenhuma|não aplicável|não se aplica|não disponível|não especificado|"
        "não especificada|não informado|não sabe|não respondeu|não consta|sem dados|sem resposta|sem informação|"
        "nenhuma das anteriores",
        "conjunctions": "e ou",
        "classifiers": "tipo grau estágio classe nível fase grupo categoria parte número",
    },
}  # fmt: skip


def function_words(code: str) -> dict[str, frozenset[str]]:
    """Return the function words of a language by their role; a language without a list has none.

    >>> sorted(function_words("en")["conjunctions"]), function_words("fi")
    (['and', 'or'], {})
    """
    return {
        role: frozenset(text.split("|" if role == "residual_phrases" else None))
        for role, text in _WORDS.get(code, {}).items()
    }
