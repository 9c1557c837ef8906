package dev.varve.platform.http.serving;

import dev.varve.api.VarveException;
import dev.varve.platform.http.json.ApiException;

import java.util.List;
import java.util.Locale;

/** Error responses for models that cannot be loaded. */
final class LoadFailureResponses {
    private LoadFailureResponses() {}

    static boolean isShortOfMemory(Throwable reason) {
        return kind(reason, VarveException.Kind.OUT_OF_MEMORY);
    }

    private static boolean kind(Throwable reason, VarveException.Kind kind) {
        return reason instanceof VarveException failure && failure.kind() == kind;
    }

    /**
     * Returns a 503 if the failure may be temporary, else a 500.
     *
     * @param others ids of the other loaded models, whose memory may become free
     */
    static ApiException refusal(String id, Throwable reason, List<String> others) {
        String code =
                reason instanceof VarveException failure
                        ? failure.kind().name().toLowerCase(Locale.ROOT)
                        : "model_failed";
        boolean busy = isShortOfMemory(reason) && !others.isEmpty();
        boolean isTemporary = busy || kind(reason, VarveException.Kind.UNAVAILABLE);
        String message =
                "model "
                        + id
                        + " cannot be loaded: "
                        + reason.getMessage()
                        + (busy ? "; models in use: " + String.join(", ", others) : "");
        return ApiException.unloadable(code, message, isTemporary);
    }
}
