-- The triggers of surveys. Each refuses a change of a row if its condition holds, on both databases alike.

-- batch_answer_places: INSERT batch_answer: no more people than the survey says
NEW.place > (SELECT s.people FROM survey s JOIN survey_item i ON i.survey_id = s.id WHERE i.id = NEW.item_id);

-- batch_answer_places_later: UPDATE batch_answer: no more people than the survey says
NEW.place > (SELECT s.people FROM survey s JOIN survey_item i ON i.survey_id = s.id WHERE i.id = NEW.item_id);

-- batch_answer_first_is_final: UPDATE batch_answer: the first answer is final
OLD.first IS NOT NULL AND COALESCE(NEW.first, '') <> OLD.first;

-- batch_answer_done_is_final: UPDATE batch_answer: a finished batch is final
COALESCE(NEW.last, '') <> COALESCE(OLD.last, '') AND (SELECT b.state FROM batch b WHERE b.id = NEW.batch_id) IN
('DONE', 'RETURNED');

-- batch_end_is_final: UPDATE batch: a finished batch is final
OLD.state IN ('DONE', 'RETURNED') AND NEW.state <> OLD.state;

-- batch_insert_closed: INSERT batch: the survey is closed
(SELECT s.state FROM survey s WHERE s.id = NEW.survey_id) = 'CLOSED';

-- batch_answer_closed: UPDATE batch_answer: the survey is closed
(SELECT s.state FROM survey s JOIN batch b ON b.survey_id = s.id WHERE b.id = NEW.batch_id) = 'CLOSED';

-- survey_is_final: UPDATE survey: a closed survey stays closed
OLD.state = 'CLOSED';

-- batch_is_kept: DELETE batch: rows of this table are kept
TRUE;

-- batch_answer_is_kept: DELETE batch_answer: rows of this table are kept
TRUE;
