package dev.varve.platform.http.anthropic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.chat.ResponseParser;
import dev.varve.platform.chat.ToolCallDelta;
import dev.varve.platform.http.answer.StreamEvent;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class ContentBlockEventsTest {
    private final ContentBlockEvents blocks = new ContentBlockEvents();
    private final List<String> told = new ArrayList<>();

    private void add(String content, ToolCallDelta... calls) {
        tell(blocks.add(new ResponseParser.Piece("", content, List.of(calls))));
    }

    private void tell(List<StreamEvent> events) {
        for (StreamEvent event : events) {
            var data = ((StreamEvent.Named) event).data();
            String kind = data.get("type").stringValue().replace("content_block_", "");
            String text =
                    kind.equals("delta")
                            ? data.at("/delta/partial_json").asString("")
                                    + data.at("/delta/text").asString("")
                            : "";
            told.add(
                    data.get("index").intValue() + " " + kind + (text.isEmpty() ? "" : " " + text));
        }
    }

    /** One token may end a call and begin a text. */
    @Test
    void restOfACallPrecedesTheTextBehindIt() {
        add("", new ToolCallDelta(0, Optional.of("f"), "{\"a\":1"));
        add(")", new ToolCallDelta(0, Optional.empty(), "}"));
        tell(blocks.finish());

        assertEquals(
                List.of(
                        "0 start",
                        "0 delta {\"a\":1",
                        "0 delta }",
                        "0 stop",
                        "1 start",
                        "1 delta )",
                        "1 stop"),
                told);
    }

    /** One token may end a call, and begin a text and another call. */
    @Test
    void callThatStartsFollowsTheText() {
        add("", new ToolCallDelta(0, Optional.of("f"), "{"));
        add(
                "x",
                new ToolCallDelta(0, Optional.empty(), "}"),
                new ToolCallDelta(1, Optional.of("g"), "{}"));
        tell(blocks.finish());

        assertEquals(
                List.of(
                        "0 start",
                        "0 delta {",
                        "0 delta }",
                        "0 stop",
                        "1 start",
                        "1 delta x",
                        "1 stop",
                        "2 start",
                        "2 delta {}",
                        "2 stop"),
                told);
    }
}
