package dev.varve.platform.http.anthropic;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.varve.platform.chat.AnswerText;
import dev.varve.platform.chat.CallDelta;
import dev.varve.platform.http.answer.StreamEvent;

import org.junit.jupiter.api.Test;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

class BlockEventsTest {
    private final BlockEvents blocks = new BlockEvents();
    private final List<String> told = new ArrayList<>();

    private void add(String content, CallDelta... calls) {
        tell(blocks.add(new AnswerText.Piece("", content, List.of(calls))));
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
    void theRestOfACallComesBeforeTheTextBehindIt() {
        add("", new CallDelta(0, Optional.of("f"), "{\"a\":1"));
        add(")", new CallDelta(0, Optional.empty(), "}"));
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
    void aCallThatBeginsComesBehindTheText() {
        add("", new CallDelta(0, Optional.of("f"), "{"));
        add("x", new CallDelta(0, Optional.empty(), "}"), new CallDelta(1, Optional.of("g"), "{}"));
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
