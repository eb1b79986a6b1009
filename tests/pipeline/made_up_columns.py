"""Made-up columns that imitate those of well-known public tables, with the proposals that a data steward accepts.

A column is a function from the number of a row to its cell.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

ROWS = 600

Cell = Callable[[int], object]


def listed(answers: str) -> Cell:
    """Return the cells of a list of answers; the first ones are the most frequent."""
    values = [x.strip() for x in answers.split("|")]
    weights = [len(values) - place for place in range(len(values))]
    cycle = [value for value, weight in zip(values, weights, strict=True) for _ in range(weight)]
    return lambda row: cycle[row * 7919 % len(cycle)]


def mixed(row: int, size: int, salt: int = 0) -> int:
    """Return a whole number below `size` that looks drawn."""
    return (row * 2654435761 + salt * 40503 + row * row * 97) % 1000003 % size


CATEGORY, ORDINAL, NUMERIC, WORDS = "category", "ordinal", "numeric", "words"
CODE, DATE = "code", "date"
IDENTIFIER, UNIT, WEIGHT = "identifier", "unit", "weight"
EITHER = (CATEGORY, ORDINAL)
DROPPED = (IDENTIFIER, UNIT)

CREDIT: Mapping[str, tuple[Cell, Sequence[str]]] = {
    "status_of_existing_checking": (listed("A14|A11|A12|A13"), [CATEGORY]),
    "duration_in_month": (lambda i: 4 + mixed(i, 60), [NUMERIC]),
    "credit_history": (listed("A32|A34|A33|A31|A30"), [CATEGORY]),
    "purpose": (listed("A43|A40|A42|A41|A49|A46|A45|A44|A410|A48"), [CATEGORY]),
    "savings": (listed("little|moderate|quite rich|rich"), EITHER),
    "housing": (listed("own|rent|free"), [CATEGORY]),
    "foreign_worker": (listed("yes|no"), [CATEGORY]),
    "employment": (listed("1 to 4 years|4 to 7 years|7 years or more|less than 1 year"), [ORDINAL]),
    "risk": (listed("good|bad"), [CATEGORY]),
    "credit_amount": (lambda i: 250 + mixed(i, 15000), [NUMERIC]),
}
BANK: Mapping[str, tuple[Cell, Sequence[str]]] = {
    "job": (listed("admin.|blue-collar|technician|services|management|retired|entrepreneur|self-employed|housemaid"
                   "|unemployed|student|unknown"), [CATEGORY, WORDS]),
    "marital": (listed("married|single|divorced|unknown"), [CATEGORY]),
    "education": (listed("university.degree|high.school|basic.9y|professional.course|basic.4y|unknown|illiterate"),
                  EITHER),
    "default": (listed("no|unknown|yes"), [CATEGORY]),
    "contact": (listed("cellular|telephone"), [CATEGORY]),
    "month": (listed("may|jul|aug|jun|nov|apr|oct|sep|mar|dec"), [CATEGORY]),
    "day_of_week": (listed("thu|mon|wed|tue|fri"), [CATEGORY]),
    "poutcome": (listed("nonexistent|failure|success"), [CATEGORY]),
    "campaign": (lambda i: 1 + mixed(i, 5) * mixed(i, 3, 1), [NUMERIC]),
}  # fmt: skip
HEALTH_SURVEY: Mapping[str, tuple[Cell, Sequence[str]]] = {
    "SEQN": (lambda i: 83732 + i, DROPPED),
    "RIAGENDR": (lambda i: 1 + mixed(i, 2), [CATEGORY]),
    "RIDRETH3": (lambda i: (3, 3, 3, 1, 4, 2, 6, 7)[mixed(i, 8)], [CATEGORY]),
    "DMDMARTL": (lambda i: (1, 1, 1, 5, 5, 3, 2, 6, 4, 77)[mixed(i, 10)], [CATEGORY]),
    "DMDEDUC2": (lambda i: (4, 4, 3, 5, 2, 1, 9)[mixed(i, 7)], [CATEGORY, NUMERIC]),
    "smoking_status": (listed("Never|Former|Current"), [CATEGORY]),
    "general_health": (listed("Good|Very good|Fair|Excellent|Poor"), [ORDINAL]),
    "bmi_category": (listed("Overweight|Normal|Obese|Underweight"), EITHER),
    "BMXBMI": (lambda i: 18 + mixed(i, 200) / 10, [NUMERIC]),
    "WTMEC2YR": (lambda i: 1000.5 + mixed(i, 90000), [NUMERIC, WEIGHT]),
}
CENSUS: Mapping[str, tuple[Cell, Sequence[str]]] = {
    "SERIALNO": (lambda i: f"2019HU{i:07}", DROPPED),
    "PUMA": (lambda i: f"{100 * (1 + mixed(i, 40)):05}", [CODE]),
    "ST": (lambda i: 1 + mixed(i, 56), [CATEGORY]),
    "AGEP": (lambda i: mixed(i, 95), [NUMERIC]),
    "COW": (lambda i: (1, 1, 1, 1, 3, 6, 2, 5, 4, 7)[mixed(i, 10)], [CATEGORY]),
    "MAR": (lambda i: (1, 1, 1, 5, 5, 3, 2, 4)[mixed(i, 8)], [CATEGORY]),
    "OCCP": (lambda i: 10 * (1 + mixed(i, 300)), [CODE]),
    "NAICSP": (lambda i: ("23", "722Z", "6111", "622M", "44511")[mixed(i, 5)], [CATEGORY]),
    "RAC1P": (lambda i: (1, 1, 1, 2, 6, 8, 9)[mixed(i, 7)], [CATEGORY]),
    "SEX": (lambda i: 1 + mixed(i, 2), [CATEGORY]),
    "WKHP": (lambda i: (40, 40, 40, 35, 20, 50, 38, 45)[mixed(i, 8)] + mixed(i, 3, 2), [NUMERIC]),
    "PINCP": (lambda i: 100 * mixed(i, 900), [NUMERIC]),
    "NP": (lambda i: 1 + min(mixed(i, 4), mixed(i, 5, 3)), [NUMERIC, CATEGORY]),
}
HOSPITAL: Mapping[str, tuple[Cell, Sequence[str]]] = {
    "Health Service Area": (listed("Capital/Adirondack|Hudson Valley|Western NY|Central NY|Finger Lakes"), [CATEGORY]),
    "Age Group": (listed("50 to 69|70 or Older|30 to 49|18 to 29|0 to 17"), [ORDINAL]),
    "Zip Code - 3 digits": (lambda i: 100 + mixed(i, 48), [CODE]),
    "Gender": (listed("F|M|U"), [CATEGORY]),
    "Race": (listed("White|Other Race|Black/African American|Multi-racial"), [CATEGORY]),
    "Ethnicity": (listed("Not Span/Hispanic|Unknown|Spanish/Hispanic|Multi-ethnic"), [CATEGORY]),
    "Type of Admission": (listed("Emergency|Elective|Newborn|Urgent|Trauma|Not Available"), [CATEGORY]),
    "Patient Disposition": (listed("Home or Self Care|Home w/ Home Health Services|Skilled Nursing Home|Expired"
                                   "|Left Against Medical Advice|Short-term Hospital"), [CATEGORY]),
    "CCSR Diagnosis Code": (lambda i: f"{'ABCD'[mixed(i, 4)]}{'XYZ'[mixed(i, 3, 1)]}{mixed(i, 30, 2):03}", [CODE]),
    "APR DRG Code": (lambda i: 1 + mixed(i, 300), [CATEGORY]),
    "APR Severity of Illness Code": (lambda i: 1 + mixed(i, 4), [CATEGORY, NUMERIC]),
    "APR Severity of Illness Description": (listed("Minor|Moderate|Major|Extreme"), [ORDINAL]),
    "Payment Typology 1": (listed("Medicare|Medicaid|Private Health Insurance|Self-Pay|Other"), [CATEGORY]),
    "Length of Stay": (lambda i: 1 + mixed(i, 12), [NUMERIC]),
    "icd9": (lambda i: f"{250 + mixed(i, 90)}.{mixed(i, 9, 1)}", [CODE]),
    "Total Charges": (lambda i: 1000.25 + mixed(i, 90000), [NUMERIC]),
    "mrn": (lambda i: 5000000 + 37 * mixed(i, 400), DROPPED),
    "Diagnosis": (listed("pneumonia|asthma|diabetes|influenza|bronchitis|anemia|hepatitis|appendicitis|malaria|gout"),
                  [WORDS]),
}  # fmt: skip
POLICE: Mapping[str, tuple[Cell, Sequence[str]]] = {
    "raw_row_number": (lambda i: 1 + i, [IDENTIFIER, UNIT, NUMERIC, CATEGORY]),
    "date": (lambda i: f"20{10 + mixed(i, 9)}-{1 + mixed(i, 12, 1):02}-{1 + mixed(i, 28, 2):02}", [DATE]),
    "precinct": (lambda i: (1, 5, 6, 7, 9, 10, 13, 14, 17, 18, 19, 20, 22, 23, 75, 79)[mixed(i, 16)], [CATEGORY]),
    "district_number": (lambda i: 1 + mixed(i, 22), [CATEGORY]),
    "beat": (lambda i: 111 + mixed(i, 200), [CODE]),
    "subject_race": (listed("black|white|hispanic|asian/pacific islander|unknown|other"), [CATEGORY]),
    "subject_sex": (listed("male|female"), [CATEGORY]),
    "officer_name": (lambda i: f"{('James', 'Maria', 'George', 'Ann', 'Paul')[mixed(i, 5)]} "
                               f"{'ABCDEFGHIJ'[mixed(i, 10, 1)]}{('ohnson', 'ewis', 'arker', 'ells')[mixed(i, 4, 2)]}",
                     DROPPED),
    "driver_license": (lambda i: f"{'ABCDE'[mixed(i, 5)]}{1000000 + 7919 * i % 9000000}", DROPPED),
    "license_number": (lambda i: 400000 + mixed(i, 300), DROPPED),
    "arrest_made": (lambda i: str(mixed(i, 2) == 0).upper(), [CATEGORY]),
    "outcome": (listed("citation|warning|arrest|summons"), [CATEGORY]),
    "reason_for_search": (listed("consent|probable cause|incident to arrest|plain view|k9"), [CATEGORY, WORDS]),
    "violation_code": (lambda i: f"{'VC'}{10000 + mixed(i, 60)}", [CODE]),
    "vehicle_color": (listed("black|white|silver|gray|blue|red|green|gold"), [CATEGORY, WORDS]),
    "vehicle_year": (lambda i: 1990 + mixed(i, 28), [NUMERIC]),
    "phone": (lambda i: f"({200 + mixed(i, 700)}) 555-{mixed(i, 9000, 1) + 1000}", DROPPED),
    "email": (lambda i: f"user{i}@example.org", DROPPED),
}  # fmt: skip
AIRLINE: Mapping[str, tuple[Cell, Sequence[str]]] = {
    "Customer Type": (listed("Loyal Customer|disloyal Customer"), [CATEGORY]),
    "Type of Travel": (listed("Business travel|Personal Travel"), [CATEGORY]),
    "Class": (listed("Business|Eco|Eco Plus"), EITHER),
    "Inflight wifi service": (lambda i: mixed(i, 6), [NUMERIC, ORDINAL]),
    "Flight Distance": (lambda i: 50 + mixed(i, 4000), [NUMERIC]),
    "satisfaction": (listed("neutral or dissatisfied|satisfied"), [CATEGORY]),
    "q7": (listed("Agree|Strongly agree|Neither agree nor disagree|Disagree|Strongly disagree"), [ORDINAL]),
    "How often do you fly?": (listed("Sometimes|Rarely|Often|Never|Always"), [ORDINAL]),
    "origin": (listed("JFK|LAX|ORD|ATL|DFW|DEN|SFO|SEA"), [CATEGORY]),
    "carrier": (listed("AA|UA|DL|WN|B6"), [CATEGORY]),
    "household_income": (listed("$25,000 - $49,999|$50,000 - $99,999|$0 - $24,999|$100,000 or more"),
                         [ORDINAL]),
    "country": (listed("France|Spain|Germany|Italy|Japan|Brazil|Canada|India|Mexico|Kenya|Norway|Peru"), [WORDS]),
}  # fmt: skip
SURVEY: Mapping[str, tuple[Cell, Sequence[str]]] = {
    "zipcode": (lambda i: 10001 + 3 * mixed(i, 400), [CODE]),
    "postcode": (lambda i: f"{'ABGLM'[mixed(i, 5)]}{1 + mixed(i, 9)} {1 + mixed(i, 8, 1)}AX", [CODE]),
    "sku": (lambda i: f"SKU-{1000 + mixed(i, 50)}", [CODE]),
    "blood_group": (listed("O+|A+|B+|O-|AB+|A-|B-|AB-"), [CATEGORY]),
    "grade": (listed("B|A|C|D|F"), EITHER),
    "size": (listed("M|L|S|XL"), EITHER),
    "t_shirt": (listed("medium|large|small"), EITHER),
    "stage": (listed("II|I|III|IV"), EITHER),
    "agree": (listed("true|false"), [CATEGORY]),
    "tumor": (listed("benign|malignant"), [CATEGORY]),
    "religion": (listed("Protestant|Catholic|None|Jewish|Other|Muslim"), [CATEGORY, WORDS]),
    "relationship": (listed("husband|wife|child|sibling|parent|other relative"), [CATEGORY]),
    "favourite animal": (listed("dog|cat|horse|rabbit|hamster|parrot|goldfish|turtle"), [WORDS]),
    "lunch": (listed("pizza|salad|soup|sandwich|hamburger|spaghetti|omelet|stew"), [WORDS]),
    "profession": (listed("nurse|carpenter|teacher|plumber|accountant|electrician|cook|lawyer|physician"), [WORDS]),
    "hobby": (listed("chess|gardening|swimming|photography|cooking|hiking|painting|fishing|reading"), [WORDS]),
    "first_name": (listed("James|Maria|George|Ann|Paul|Laura|Peter|Helen|Martin|Alice|Emma"), [CATEGORY, *DROPPED]),
    "last_name": (lambda i: f"{'ABCDEFGHIJKLM'[mixed(i, 13)]}{('ohn', 'ew', 'ark', 'ell', 'or')[mixed(i, 5, 2)]}"
                            f"{('son', 'is', 'er', 's', 'man')[mixed(i, 5, 3)]}", DROPPED),
    "children": (lambda i: min(mixed(i, 4), mixed(i, 5, 1)), [NUMERIC]),
    "cars": (lambda i: min(mixed(i, 3), mixed(i, 4, 1)), [NUMERIC]),
    "income": (lambda i: 1000 * mixed(i, 90), [NUMERIC]),
    "year_of_birth": (lambda i: 1930 + mixed(i, 75), [NUMERIC]),
    "x1": (lambda i: mixed(i, 2), [CATEGORY]),
    "notes": (lambda i: f"called the office about invoice {i} and asked for a reply", [*DROPPED]),
}  # fmt: skip
TABLES = {
    "credit": CREDIT, "bank": BANK, "health survey": HEALTH_SURVEY, "census": CENSUS, "hospital": HOSPITAL,
    "police": POLICE, "airline": AIRLINE, "survey": SURVEY,
}  # fmt: skip
