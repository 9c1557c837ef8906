package dev.varve.platform.http.conversation;

import dev.varve.platform.http.answer.ResponseSerializer;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.ServedModel;

/** The language of an API in which clients hold conversations. Thread-safe. */
public interface ApiDialect {
    /** The fields of its bodies. */
    FieldRules rules();

    /**
     * Reads a body whose fields were checked by the rules.
     *
     * @throws dev.varve.platform.http.json.ApiException a 400 that names the field if it is wrong
     */
    ConversationRequest read(RequestFields fields, ServedModel served);

    /** How the answer is written; a new one for each answer. */
    ResponseSerializer format(ConversationRequest conversation, PromptSummary prompt);

    /** The shape of errors. */
    ErrorForm errors();
}
