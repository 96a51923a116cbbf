"""The paper's figures (Li et al. 2021), as it prints them: other models, other people, other images."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeAlias

Rows: TypeAlias = Mapping[str, tuple[str, ...]]

TABLE_1: Rows = {
    "R1": ("13.7K", "93.1K", "45.6K", "48.9", "35.2", "1.6", "1", "71.0", "53.6K", "3.3K", "10.0K"),
    "R2": ("13.1K", "70.4K", "37.8K", "56.1", "49.0", "1.5", "1", "54.2", "42.8K", "2.7K", "8.3K"),
    "R3": ("11.1K", "60.4K", "30.0K", "49.8", "36.3", "1.6", "1", "57.3", "35.3K", "2.2K", "6.6K"),
    "AVQA": ("37.9K", "223.9K", "113.4K", "50.7", "40.0", "1.6", "1", "61.6", "131.7K", "8.2K", "24.9K"),
}
"""Images, questions, verified, error rates (total, verified), tries (mean, median), seconds, train, dev, test."""

TABLE_1_NOTES = (
    "The paper's R2 row does not add up: 37.8K of 70.4K questions are 53.7 %, not 56.1 %, and the verified examples "
    "that its splits imply (27.5K) are 39.1 %, not 49.0 %. Its total row inherits these errors.",
    "The paper's text says that train, dev and test have 131.7K, 8.2K and 24.9K images; these are questions.",
)

SESSIONS: Rows = {
    "R1": ("—", "6.8", "58.2K", "4.2", "78", "35.2", "1.6", "—", "—", "—", "—", "—", "—"),
    "R2": ("—", "5.4", "46.9K", "3.6", "81", "49.0", "1.5", "—", "—", "—", "—", "—", "—"),
    "R3": ("—", "5.4", "37.8K", "3.4", "79", "36.3", "1.6", "—", "—", "—", "—", "—", "—"),
}
"""Sessions are computed from Table 1: questions / mean tries; successes / sessions."""

SESSIONS_NOTES = (
    "The paper does not print sessions: they are computed from its Table 1 (questions / mean tries, and verified "
    "questions / sessions). It says 3 writers per image; its numbers imply 3.4 to 4.2 sessions.",
)

TABLE_7: Rows = {
    "R1": ("23.3", "10.7", "14.7", "8.3", "17.3", "0.7", "9.7", "4.3", "13.3", "14.7", "6.3"),
    "R2": ("30.0", "22.7", "12.0", "27.7", "20.0", "4.3", "12.7", "9.3", "22.7", "10.0", "15.3"),
    "R3": ("35.3", "13.0", "13.0", "28.3", "25.0", "6.3", "11.7", "4.3", "20.0", "20.0", "6.0"),
    "Average": ("29.6", "15.4", "13.2", "21.4", "20.8", "3.8", "11.3", "6.0", "18.7", "14.9", "9.2"),
}

TABLE_8: Rows = {
    "Sears": ("3.0", "11.6", "—"),
    "Textfooler": ("39.5", "1.4", "—"),
    "Sememe+PSO": ("35.9", "88.6", "—"),
    "AVQA, people": ("1.6", "40.0", "79"),
}

TABLE_8_NOTES = (
    "The paper's row of people (1.6 tries, 40.0 %) is E / total, not success per session, which its Table 1 puts at "
    "about 79 %; both are printed here. Sememe+PSO attacked only questions of more than 10 words.",
)

TABLE_9: Rows = {
    "R1": ("13.53", "23.36", "10.03", "50.08", "81.43", "79.75", "92.03", "92.05"),
    "R2": ("8.62", "29.91", "14.37", "47.01", "76.26", "77.11", "93.60", "93.43"),
    "R3": ("11.67", "34.19", "12.06", "42.07", "80.21", "80.97", "94.67", "94.15"),
    "AVQA": ("11.51", "27.89", "11.90", "48.71", "79.32", "79.11", "93.19", "93.02"),
}

TABLE_9_NOTES = (
    "The paper's R1 row sums to 97.0 %; ours are disjoint classes that sum to 100 %. Its closed vocabulary is that of "
    "VQA v2.",
)

FIGURE_NOTES = {
    "figure5": "The paper: most questions have four to ten words (text) or three to ten words (caption).",
    "figure6": "The paper: over 80 % of the examples need at most 2 tries.",
    "figure8": "The paper's figure has no numbers; it says that R3 has more of type B than R1 and R2.",
    "figure9": "The paper: more than 9 people are confident on over 60 % of the questions; its bands overlap "
    "(7 or more, 3-7, less than 3), ours do not.",
}
