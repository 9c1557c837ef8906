package dev.varve.embedded;

import static org.junit.jupiter.api.Assertions.assertEquals;
import static org.junit.jupiter.api.Assertions.assertTrue;

import org.junit.jupiter.api.Test;

import java.util.List;
import java.util.concurrent.CountDownLatch;

/** A model whose native code runs in a child process. */
class IsolationTest {
    private static final ChatRequest LIST =
            ChatRequest.of("Tell me a story.")
                    .withMaxTokens(120)
                    .withSchema(
                            "{\"type\": \"array\", \"items\": {\"type\": \"integer\"},"
                                    + " \"minItems\": 30}");

    @Test
    void responseSurvivesTheEndOfTheChildProcess() throws InterruptedException {
        String expected;
        try (Varve here = Varve.open(DemoModels.QWEN35, DemoModels.options())) {
            expected = here.chat(LIST).text();
        }
        VarveOptions options = DemoModels.options().withIsolation(Isolation.PROCESS);
        try (Varve model = Varve.open(DemoModels.QWEN35, options)) {
            CountDownLatch begun = new CountDownLatch(1);
            RunningChat running = model.start(LIST, new BeginListener(begun));
            begun.await();

            List<ProcessHandle> killed = children();
            killed.forEach(ProcessHandle::destroyForcibly);

            assertEquals(expected, running.await().text());
            assertEquals(1, killed.size(), killed.toString());
            assertTrue(model.load().retried() > 0, model.load().toString());
            assertTrue(model.load().available());
        }
    }

    private static List<ProcessHandle> children() {
        return ProcessHandle.current()
                .children()
                .filter(
                        child ->
                                child.info()
                                        .commandLine()
                                        .filter(line -> line.contains(ShardMain.class.getName()))
                                        .isPresent())
                .toList();
    }

    private record BeginListener(CountDownLatch begun) implements ChatListener {
        @Override
        public void onText(String text) {
            begun.countDown();
        }
    }
}
