"""Data: read questions or groups from a path, and write them. Readers hold one record at a time in memory.

    open_path.py        a path -> its reader         json_stream.py  also detects a file's format from its beginning
    benchmarks/         one reader per published benchmark: vqa.py (VQA v2 and its family), gqa.py
    scene_graphs.py     GQA scene graphs, with or without questions
    jsonl.py            our own files of questions   groups.py       files of groups
    find_images.py      from an image id or name to its file
    write_questions.py  questions -> the same formats
    read_predictions.py answers of a model, also from the logs of other harnesses
    table_files.py      TSV, CSV, XLSX and Parquet -> records
    export.py           groups -> the formats of other harnesses; lmms_eval_task.py is copied beside an export

Shared by the readers: json_stream.py (JSON one record at a time, with limits on nesting and length), bad_records.py
(errors in records, repeated ids, records that belong together).
"""
