package dev.varve.platform.http.conversation;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.RequestFields;

import java.util.OptionalLong;

/** Reads {@code speculative} and {@code draft_max}, extensions of OpenAI's API. */
public final class DraftFields {
    private static final String SPECULATIVE = "speculative";
    private static final String MOST = "draft_max";

    private DraftFields() {}

    /** Returns the maximum number of draft tokens per step; 0 for none. */
    static int read(RequestFields fields) {
        boolean speculative = fields.flag(SPECULATIVE).orElse(true);
        OptionalLong most = fields.whole(MOST, 0, Integer.MAX_VALUE);
        if (!speculative && most.orElse(0) > 0) {
            throw ApiException.invalid(
                    MOST,
                    MOST
                            + ": expected 0 or no value with \""
                            + SPECULATIVE
                            + "\": false, found "
                            + most.getAsLong());
        }
        return speculative ? (int) most.orElse(Integer.MAX_VALUE) : 0;
    }
}
