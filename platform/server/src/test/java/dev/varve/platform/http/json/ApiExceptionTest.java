package dev.varve.platform.http.json;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.api.VarveException;
import dev.varve.platform.engine.EngineClosedException;
import dev.varve.platform.setting.Setting;
import dev.varve.platform.setting.SettingNames;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;
import org.junit.jupiter.params.provider.EnumSource;

import tools.jackson.databind.node.ObjectNode;

import java.util.Optional;

class ApiExceptionTest {
    @ParameterizedTest
    @CsvSource({
        "CONTEXT_OVERFLOW, 400, context_length_exceeded, 0",
        "INVALID_REQUEST, 400, '', 0",
        "OVERLOADED, 429, queue_full, 1",
        "UNAVAILABLE, 503, '', 5",
        "CANCELLED, 503, '', 5",
        "UNSUPPORTED_MODEL, 500, unsupported_model, 0",
        "CORRUPT_FILE, 500, corrupt_file, 0",
        "UNREADABLE_FILE, 500, unreadable_file, 0",
        "OUT_OF_MEMORY, 500, out_of_memory, 0",
        "BACKEND_FAILED, 500, backend_failed, 0"
    })
    void eachKindOfFailureHasItsStatus(
            VarveException.Kind kind, int status, String code, int retryAfter) {
        ApiException answer = ApiException.of(new VarveException(kind, "why"));

        assertEquals(status, answer.status());
        assertEquals(Optional.of(code).filter(text -> !text.isEmpty()), answer.code());
        assertEquals(retryAfter, answer.retryAfterSeconds().orElse(0));
        assertEquals("why", answer.getMessage());
    }

    @ParameterizedTest
    @CsvSource({
        "400, invalid_request_error",
        "401, authentication_error",
        "403, permission_error",
        "404, invalid_request_error",
        "500, server_error",
        "503, server_error"
    })
    void errorTypeFollowsTheStatus(int status, String type) {
        assertEquals(type, ApiException.status(status, "", "why").type());
    }

    @Test
    void unknownErrorFieldsAreNull() {
        assertEquals(
                "{\"error\":{\"message\":\"why\",\"type\":\"invalid_request_error\","
                        + "\"param\":null,\"code\":null}}",
                ErrorForm.OPENAI
                        .body(ApiException.invalid("", "why"), SettingNames.IDENTIFIERS, "")
                        .toString());
        assertEquals(
                "{\"error\":{\"message\":\"why\",\"type\":\"invalid_request_error\","
                        + "\"param\":\"n\",\"code\":null}}",
                ErrorForm.OPENAI
                        .body(ApiException.invalid("n", "why"), SettingNames.IDENTIFIERS, "")
                        .toString());
    }

    @Test
    void settingsAreNamedAsFlags() {
        ApiException error =
                ApiException.status(
                        413, "request_too_large", "too large (" + Setting.MAX_BODY + ")");

        ObjectNode body = ErrorForm.OPENAI.body(error, setting -> "--the-" + setting.id(), "");

        assertEquals("too large (--the-maxBody)", body.at("/error/message").asString());
    }

    @ParameterizedTest
    @CsvSource({
        "400, invalid_request_error", "401, authentication_error", "403, permission_error",
        "404, not_found_error", "413, request_too_large", "429, rate_limit_error",
        "500, api_error", "503, overloaded_error"
    })
    void anthropicHasItsOwnErrorTypes(int status, String type) {
        assertEquals(
                "{\"type\":\"error\",\"error\":{\"type\":\""
                        + type
                        + "\",\"message\":\"why\"},\"request_id\":\"r1\"}",
                ErrorForm.ANTHROPIC
                        .body(
                                ApiException.status(status, "", "why"),
                                SettingNames.IDENTIFIERS,
                                "r1")
                        .toString());
    }

    @ParameterizedTest
    @EnumSource(
            value = VarveException.Kind.class,
            names = {"UNAVAILABLE", "CANCELLED"})
    void requestEndedByShutdownReportsIt(VarveException.Kind kind) {
        ApiException error = ApiException.of(new EngineClosedException(kind));

        assertEquals(503, error.status());
        assertEquals(Optional.of("shutting_down"), error.code());
    }
}
