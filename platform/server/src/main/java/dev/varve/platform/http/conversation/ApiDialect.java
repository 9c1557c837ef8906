package dev.varve.platform.http.conversation;

import dev.varve.platform.http.answer.ResponseSerializer;
import dev.varve.platform.http.json.ErrorForm;
import dev.varve.platform.http.json.FieldRules;
import dev.varve.platform.http.json.RequestFields;
import dev.varve.platform.http.model.ServedModel;

/** The request and response format of a vendor's API for conversations. Thread-safe. */
public interface ApiDialect {
    /** Returns the rules for the fields of request bodies. */
    FieldRules rules();

    /**
     * Reads a body whose fields were checked by the rules.
     *
     * @throws dev.varve.platform.http.json.ApiException a 400 that names the field if it is wrong
     */
    ConversationRequest read(RequestFields fields, ServedModel served);

    /** Returns a new serializer for each response. */
    ResponseSerializer format(ConversationRequest conversation, PromptFacts prompt);

    /** Returns the form of errors. */
    ErrorForm errors();
}
