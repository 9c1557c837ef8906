package dev.varve.langchain4j;

import static org.junit.jupiter.api.Assertions.assertEquals;

import dev.langchain4j.model.chat.response.ChatResponse;
import dev.langchain4j.model.chat.response.PartialResponse;
import dev.langchain4j.model.chat.response.PartialResponseContext;
import dev.langchain4j.model.chat.response.StreamingChatResponseHandler;
import dev.varve.embedded.Isolation;
import dev.varve.embedded.Varve;

import org.junit.jupiter.api.Tag;
import org.junit.jupiter.api.Test;

import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;

/** A child process that is killed during a response; {@code IsolationTest} is the test by day. */
@Tag("nightly")
class LostProcessTest {
    private static final String QUESTION = "What is a layer split?";

    @Test
    void killedProcessDoesNotChangeTheResponse() throws Exception {
        try (Varve model = DemoModel.open(Isolation.PROCESS)) {
            String expected = new VarveChatModel(model).chat(QUESTION);
            CompletableFuture<ChatResponse> end = new CompletableFuture<>();
            AtomicInteger killed = new AtomicInteger();

            new VarveStreamingChatModel(model)
                    .chat(
                            QUESTION,
                            new StreamingChatResponseHandler() {
                                @Override
                                public void onPartialResponse(
                                        PartialResponse part, PartialResponseContext context) {
                                    if (killed.get() == 0) {
                                        killed.addAndGet(killChildren());
                                    }
                                }

                                @Override
                                public void onCompleteResponse(ChatResponse response) {
                                    end.complete(response);
                                }

                                @Override
                                public void onError(Throwable error) {
                                    end.completeExceptionally(error);
                                }
                            });

            assertEquals(expected, end.get(120, TimeUnit.SECONDS).aiMessage().text());
            assertEquals(1, killed.get());
        }
    }

    private static int killChildren() {
        return (int)
                ProcessHandle.current()
                        .children()
                        .filter(child -> child.info().commandLine().orElse("").contains("varve"))
                        .filter(ProcessHandle::destroyForcibly)
                        .count();
    }
}
