"""Data: from a path to questions (or ready-made groups), and back.

    open.py     a path -> the right reader         sniff.py  by looking at what is in it
    vqa.py      VQA v2 and its family          join.py  questions and their annotations, in any order
    gqa.py      GQA questions                  scenes.py  GQA scene graphs
    jsonl.py    our own files                  groups.py  ready-made groups
    predictions.py  what a model answered elsewhere
    images.py   pictures: bytes, hashes, pixels, checks      pictures.py  where a data set's pictures lie
    write.py    questions -> the same formats  made.py   pictures made on the fly, kept beside them

Below them: files.py (opening, atomic writing), stream.py (JSON, one record at a time), faults.py (bad records),
index.py (what must be remembered, on disk). Readers hold one record at a time, however long the file is.
"""
