package dev.varve.platform.chat;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertFalse;
import static org.junit.jupiter.api.Assertions.assertTrue;

import dev.varve.api.VarveException;
import dev.varve.api.gguf.GgufFile;
import dev.varve.platform.engine.GeneratedToken;
import dev.varve.platform.engine.GenerationEvent;
import dev.varve.platform.tokenizer.Tokenizer;
import dev.varve.testkit.Qwen3Model;

import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.atomic.AtomicInteger;

/** How a response of a chat is stopped, and which events it has. */
class ChatGenerationTest {
    @TempDir Path folder;

    private final AtomicInteger cancels = new AtomicInteger();
    private Tokenizer tokenizer;
    private ChatGeneration generation;

    @BeforeEach
    void begin() throws IOException {
        tokenizer = Tokenizer.of(GgufFile.open(Qwen3Model.tiny().write(folder)).metadata());
        generation =
                new ChatGeneration(
                        StoppingResponseParser.of(
                                ResponseSyntax.plain(tokenizer)
                                        .open(new int[0], ResponseOptions.stoppingAt(List.of("!")))
                                        .text()));
    }

    private void stop() {
        generation.stop(cancels::incrementAndGet);
    }

    private boolean token(String text) {
        boolean continues = true;
        for (int id : tokenizer.encode(text, false)) {
            continues = generation.onToken(new GeneratedToken(id, Optional.empty()));
        }
        return continues;
    }

    private String text() throws InterruptedException {
        StringBuilder text = new StringBuilder();
        while (true) {
            switch (generation.next()) {
                case GenerationEvent.Output<ResponseParser.Piece>(var piece) ->
                        text.append(piece.content());
                case GenerationEvent.Failure<ResponseParser.Piece>(var error) -> {
                    return text + "|" + error.getMessage();
                }
                case GenerationEvent<ResponseParser.Piece> event -> throw new AssertionError(event);
            }
        }
    }

    @Test
    void beforeTheFirstTokenItIsCancelled() {
        assertFalse(generation.isStopped());

        stop();

        assertTrue(generation.isStopped());
        assertEquals(1, cancels.get());
    }

    @Test
    void laterItEndsAtTheNextTokenAndASecondStopCancels() {
        assertTrue(token("a"));

        stop();

        assertEquals(0, cancels.get());
        assertFalse(token("b"));
        stop();
        assertEquals(1, cancels.get());
    }

    @Test
    void stopStringEndsTheResponse() {
        assertTrue(token("a"));

        assertFalse(token("!"));

        assertEquals(Optional.of("!"), generation.summary().stop());
    }

    @Test
    void failureComesBehindTheText() throws InterruptedException {
        token("Hello");

        generation.onError(new VarveException(VarveException.Kind.CANCELLED, "cancelled"));

        assertEquals("Hello|cancelled", text());
    }
}
