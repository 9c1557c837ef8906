package dev.varve.platform.http.conversation;

import dev.varve.platform.http.answer.AnswerFormat;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.Fields;
import dev.varve.platform.http.model.ServedModel;

/** The language of an API in which clients hold conversations. Thread-safe. */
public interface Dialect {
    /** The fields of its bodies. */
    FieldRules rules();

    /**
     * Reads a body whose fields were checked by the rules.
     *
     * @throws dev.varve.platform.http.json.ApiException a 400 that names the field if it is wrong
     */
    Conversation read(Fields fields, ServedModel served);

    /** How the answer is written; a new one for each answer. */
    AnswerFormat format(Conversation conversation, PreparedPrompt prompt);

    /** The shape of errors. */
    ErrorForm errors();
}
