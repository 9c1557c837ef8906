package dev.varve.platform.cli;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.platform.log.LogFields;
import dev.varve.platform.log.LogValue;
import dev.varve.platform.setting.Setting;

import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

import tools.jackson.databind.JsonNode;
import tools.jackson.databind.json.JsonMapper;

import java.time.OffsetDateTime;
import java.util.logging.Level;
import java.util.logging.LogRecord;

class LogFormatterTest {
    private static final String BEGIN =
            "\\d{4}-\\d\\d-\\d\\dT\\d\\d:\\d\\d:\\d\\d\\.\\d{3}[+-]\\d\\d:\\d\\d ";

    private static LogRecord line(Level level, String message, Object... parameters) {
        LogRecord line = new LogRecord(level, message);
        line.setLoggerName("dev.varve.http");
        line.setParameters(parameters);
        return line;
    }

    private static String text(LogRecord line) {
        return new TextLogFormatter().format(line);
    }

    private static JsonNode json(LogRecord line) {
        String text = new JsonLogFormatter().format(line);
        assertEquals(text.length() - 1, text.indexOf('\n'), text);
        assertTrue(text.chars().allMatch(each -> each < 128), text);
        return JsonMapper.shared().readTree(text);
    }

    private static LogRecord request(String error) {
        return line(
                Level.INFO,
                "{0} {1} {2}{3}",
                new LogValue("method", "GET"),
                new LogValue("route", "/v1/models"),
                new LogValue("status", 404),
                new LogFields()
                        .put("request_id", "r-1")
                        .put("prompt_tokens", 12_345)
                        .putMillis("total_ms", 1_234_567)
                        .put("error", error));
    }

    @Test
    void textHasTimeWithZoneLevelAndMessage() {
        String line = text(line(Level.WARNING, "port {0} took {1} ms", 49152, 1234.5));

        assertTrue(line.matches(BEGIN + "WARN  port 49152 took 1234\\.5 ms\n"), line);
    }

    @Test
    void libraryMessageNamesItsLogger() {
        LogRecord record = line(Level.SEVERE, "failed");
        record.setLoggerName("org.eclipse.jetty.server.Server");

        String line = text(record);

        assertTrue(line.matches(BEGIN + "ERROR org.eclipse.jetty.server.Server: failed\n"), line);
    }

    @Test
    void fieldsAreNamedInTextAndFieldsInJson() {
        LogRecord request = request("no such \"model\"");

        String line = text(request);
        JsonNode object = json(request);

        assertTrue(
                line.matches(
                        BEGIN
                                + "INFO  GET /v1/models 404 request_id=r-1 prompt_tokens=12345"
                                + " total_ms=1\\.2 error=\"no such \\\\\"model\\\\\"\"\n"),
                line);
        assertEquals("GET /v1/models 404", object.path("message").asString());
        assertEquals("INFO", object.path("level").asString());
        assertEquals("dev.varve.http", object.path("logger").asString());
        assertEquals("GET", object.path("method").asString());
        assertEquals(404, object.path("status").asInt());
        assertEquals(12_345, object.path("prompt_tokens").asInt());
        assertEquals(1.2, object.path("total_ms").asDouble());
        assertEquals("no such \"model\"", object.path("error").asString());
        OffsetDateTime.parse(object.path("time").asString());
    }

    @ParameterizedTest
    @ValueSource(
            strings = {
                "a\n2026-11-28T09:30:12.123+01:00 ERROR forged",
                "a\r\nb",
                "tab\there",
                "\u001b[2Jscreen",
                "\u0085next\u2028line\u2029paragraph",
                "\u202ereversed",
                "nul\u0000",
                "lone \ud800 surrogate",
                "{\"level\": \"ERROR\"}\\",
                "emoji \ud83d\ude00 and ä",
                "x=1 error=\"forged\"",
                "{0} {9}"
            })
    void hostileTextStaysOneLineAndOneValue(String hostile) {
        LogRecord request = request(hostile);

        String line = text(request);
        JsonNode object = json(request);

        assertEquals(1, line.lines().count(), line);
        assertTrue(line.endsWith("\"\n") && line.matches(BEGIN + "(?s)INFO  GET .*"), line);
        assertTrue(
                line.strip()
                        .codePoints()
                        .noneMatch(each -> Character.isISOControl(each) || each == 0x202e),
                line);
        assertEquals(
                hostile.replace('\ud800', '?'),
                object.path("error").asString().replace("\ud800", "?").replace("lone ??", "lone ?"),
                object.toString());
        assertEquals("INFO", object.path("level").asString());
    }

    @Test
    void eachLineOfAStackTraceIsALogLine() {
        LogRecord record = line(Level.SEVERE, "failed ({0})", Setting.SHARD_PATIENCE);
        record.setThrown(new IllegalArgumentException(Setting.PARALLEL + ": too\nmany"));

        String lines = text(record);
        JsonNode object = json(record);

        assertTrue(lines.lines().allMatch(line -> line.matches(BEGIN + "ERROR .*")), lines);
        assertTrue(lines.contains("ERROR failed (--shard-patience)\n"), lines);
        assertTrue(lines.contains("ERROR java.lang.IllegalArgumentException: --parallel: too\n"));
        assertTrue(object.path("stack_trace").asString().contains("--parallel: too"));
    }
}
