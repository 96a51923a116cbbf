"""Seven text metrics over whole pools of questions: processor time per question, memory, and ratios against peers.

    python benchmarks/bench_overlap.py [--sizes 20000 50000 186027] [--questions 300] [--file QUESTIONS.txt]

The task is "rank the whole pool for one question and return 21". The peers are pycocoevalcap (BLEU, ROUGE-L, CIDEr) and
NLTK (METEOR), which score one pair at a time: they are timed on some of the pairs, in the same run, and their time is
scaled to the pool (pip install pycocoevalcap nltk). Times are processor time of one core. The pool is read from the
file, one question per line, and extended by replacing words in its questions with words of other questions.
"""

from __future__ import annotations

import argparse
import resource
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from random import Random
from types import SimpleNamespace

from askew.answers.normalise import tokens
from askew.rank.overlap import Bleu, Cider, Meteor, Rouge
from askew.rank.overlap.meteor import synonyms
from askew.rank.ranking import QuestionPool
from askew.world.dataset import World

SHARED = Path(__file__).parents[1] / ".." / "shared" / "data" / "questions" / "vqa_v2_train_25k.txt"
RANKERS = {
    "bleu1": Bleu(1), "bleu2": Bleu(2), "bleu3": Bleu(3), "bleu4": Bleu(4),
    "rouge": Rouge(), "cider": Cider(), "meteor": Meteor(),
}  # fmt: skip
TOP = 21
PEER_POOL = 2000


def fill_up(texts: Sequence[str], count: int) -> tuple[str, ...]:
    """This many distinct questions: the given ones, and more of them with one or two words from other questions."""
    kept = {" ".join(tokens(text)): text for text in QuestionPool.of(texts).texts[:count]}
    split = [text.split() for text in kept]
    words = [word for each in split for word in each if len(word) > 3]
    rng = Random("bench-overlap")
    while len(kept) < count:
        changed = list(rng.choice(split))
        for _ in range(rng.randint(1, 2)):
            changed[rng.randrange(len(changed))] = rng.choice(words)
        text = " ".join(changed)
        kept.setdefault(text, text + "?")
    return QuestionPool.of(kept.values()).texts


def seconds(work: Callable[[], object]) -> float:
    start = time.process_time()
    work()
    return time.process_time() - start


class Meanings:
    """askew's WordNet with the interface that NLTK's METEOR needs, cached, so that look-ups take METEOR no time."""

    def __init__(self) -> None:
        self.known: dict[str, list[SimpleNamespace]] = {}

    def synsets(self, word: str) -> list[SimpleNamespace]:
        if word not in self.known:
            names = [SimpleNamespace(name=lambda name=name: name) for name in sorted(synonyms(word))]
            self.known[word] = [SimpleNamespace(lemmas=lambda: names)]
        return self.known[word]


def peers(pool: Sequence[str], asked: Sequence[str]) -> dict[str, float]:
    """Seconds of each peer for one pair."""
    from nltk.translate.meteor_score import single_meteor_score
    from pycocoevalcap.bleu.bleu import Bleu as PeerBleu
    from pycocoevalcap.cider.cider import Cider as PeerCider
    from pycocoevalcap.rouge.rouge import Rouge as PeerRouge

    texts = {number: [" ".join(tokens(text))] for number, text in enumerate(pool)}
    spent = dict.fromkeys(RANKERS, 0.0)
    meanings = Meanings()
    for question in asked:
        same = {number: [" ".join(tokens(question))] for number in texts}
        words = tokens(question)
        split = [tokens(text) for text in pool]
        for n in (1, 2, 3, 4):
            spent[f"bleu{n}"] += seconds(lambda n=n, same=same: PeerBleu(n).compute_score(same, texts, verbose=0))
        spent["rouge"] += seconds(lambda same=same: PeerRouge().compute_score(same, texts))
        spent["cider"] += seconds(lambda same=same: PeerCider().compute_score(texts, same))
        spent["meteor"] += seconds(
            lambda words=words, split=split: [single_meteor_score(words, own, wordnet=meanings) for own in split]
        )
    return {name: total / len(pool) / len(asked) for name, total in spent.items()}


def main() -> None:
    parser = argparse.ArgumentParser()
    parser.add_argument("--sizes", nargs="+", type=int, default=[20_000, 50_000, 186_027])
    parser.add_argument("--questions", type=int, default=300)
    parser.add_argument("--file", type=Path, default=SHARED)
    options = parser.parse_args()
    if options.file.is_file():
        texts, source = options.file.read_text(encoding="utf-8").splitlines(), options.file.name
    else:
        texts, source = [question.text for question in World("all", scenes=400).questions()], "world:all,scenes=400"
    pools = {size: fill_up(texts, size) for size in sorted(options.sizes)}
    smallest = pools[min(pools)]
    asked = Random("asked").sample(list(smallest), options.questions)
    try:
        pair = peers(smallest[:PEER_POOL], asked[:3])
    except ModuleNotFoundError as missing:
        print(f"No ratios: {missing.name!r} is missing. Try: pip install pycocoevalcap nltk")
        pair = {}
    print(f"pool from {source}; {len(asked)} questions; top {TOP}; processor time of one core")
    print(f"{'metric':8} {'pool':>8} {'fit s':>7} {'ms each':>8} {'pairs/s':>13} {'peer pairs/s':>13} {'ratio':>9}")
    for size, pool in pools.items():
        for name, ranker in RANKERS.items():
            fit = seconds(lambda ranker=ranker, pool=pool: ranker.fit(pool))
            fitted = ranker.fit(pool)
            fitted.top(asked[:20], TOP)
            each = min(seconds(lambda fitted=fitted: fitted.top(asked, TOP)) for _ in range(3)) / len(asked)
            theirs = f"{1 / pair[name]:13,.0f} {pair[name] * size / each:8,.0f}x" if pair else ""
            print(f"{name:8} {size:8,} {fit:7.2f} {each * 1000:8.3f} {size / each:13,.0f} {theirs}", flush=True)
        print(f"memory at most {resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024:,.0f} MB", flush=True)


if __name__ == "__main__":
    main()
