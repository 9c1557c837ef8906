package dev.varve.platform.http.json;

import dev.varve.platform.engine.ContextOverflowException;
import dev.varve.platform.setting.SettingNames;

import tools.jackson.databind.node.ObjectNode;

/** The form of errors. */
public enum ErrorForm {
    /** {@code {"error": {"message", "type", "param", "code"}}}. */
    OPENAI {
        @Override
        public ObjectNode body(ApiException error, SettingNames names, String requestId) {
            ObjectNode body = Json.object();
            ObjectNode inner = body.putObject("error");
            inner.put("message", names.render(error.getMessage()));
            inner.put("type", error.type());
            inner.put("param", error.param().orElse(null));
            inner.put("code", error.code().orElse(null));
            return body;
        }
    },
    /** {@code {"type": "error", "error": {"type", "message"}, "request_id"}}. */
    ANTHROPIC {
        @Override
        public ObjectNode body(ApiException error, SettingNames names, String requestId) {
            ObjectNode body = Json.object();
            body.put("type", "error");
            body.putObject("error")
                    .put("type", type(error.status()))
                    .put(
                            "message",
                            error.overflow()
                                    .map(ErrorForm::tooLong)
                                    .orElseGet(() -> names.render(error.getMessage())));
            if (!requestId.isEmpty()) {
                body.put("request_id", requestId);
            }
            return body;
        }

        private String type(int status) {
            return switch (status) {
                case 401 -> "authentication_error";
                case 403 -> "permission_error";
                case 404, 405 -> "not_found_error";
                case 413 -> "request_too_large";
                case 429 -> "rate_limit_error";
                case 503, 529 -> "overloaded_error";
                default -> status >= 500 ? "api_error" : "invalid_request_error";
            };
        }
    },
    /** {@code {"error": message}}. */
    OLLAMA {
        @Override
        public ObjectNode body(ApiException error, SettingNames names, String requestId) {
            return Json.object().put("error", names.render(error.getMessage()));
        }
    };

    /** Prefix of the paths of Ollama's routes. */
    private static final String OLLAMA_PATHS = "/api/";

    /**
     * Returns the form for a request that reached no route of a dialect.
     *
     * @param path path of the request
     * @param anthropic whether it has a header of Anthropic's clients
     */
    public static ErrorForm of(String path, boolean anthropic) {
        if (path.startsWith(OLLAMA_PATHS)) {
            return OLLAMA;
        }
        return anthropic ? ANTHROPIC : OPENAI;
    }

    /** Returns Anthropic's wording, which makes Claude Code compact the conversation. */
    private static String tooLong(ContextOverflowException overflow) {
        return overflow.promptTokens() > overflow.contextTokens()
                ? "prompt is too long: "
                        + overflow.promptTokens()
                        + " tokens > "
                        + overflow.contextTokens()
                        + " maximum"
                : "input length and `max_tokens` exceed context limit: "
                        + overflow.promptTokens()
                        + " + "
                        + overflow.outputTokens()
                        + " > "
                        + overflow.contextTokens()
                        + ", decrease input length or `max_tokens` and try again";
    }

    /**
     * Returns an error as an object.
     *
     * @param names names of settings in messages
     * @param requestId id of the request; empty if unknown
     */
    public abstract ObjectNode body(ApiException error, SettingNames names, String requestId);
}
