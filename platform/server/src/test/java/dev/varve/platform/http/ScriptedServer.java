package dev.varve.platform.http;

import java.net.URI;
import java.util.Arrays;
import java.util.List;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.TimeUnit;

/**
 * The real HTTP server over a model that answers from a script, whatever the prompt is. Programs
 * that tests start connect to it. Its context is larger than the first request of a coding agent.
 */
public final class ScriptedServer implements AutoCloseable {
    private static final int CONTEXT = 1 << 18;
    private static final int LIMIT_SECONDS = 60;

    private final ScriptedEngine engine;
    private final HttpServer server = HttpServer.start(HttpOptions.loopback());

    private ScriptedServer(ScriptedEngine engine) {
        this.engine = engine;
        server.ready(SmallChat.served(engine));
    }

    /**
     * Starts one on a free port of this machine.
     *
     * @param answers what is said first, second and so on; the last of them for ever
     */
    public static ScriptedServer saying(String... answers) {
        return new ScriptedServer(
                new ScriptedEngine()
                        .hasContext(CONTEXT)
                        .saysInTurn(
                                Arrays.stream(answers)
                                        .map(SmallChat::answer)
                                        .toArray(int[][]::new)));
    }

    /** Starts one whose model never says a word. */
    public static ScriptedServer silent() {
        return new ScriptedServer(
                new ScriptedEngine().hasContext(CONTEXT).waitsFor(new CountDownLatch(1)));
    }

    /**
     * How the model calls a tool.
     *
     * @param arguments a JSON object
     */
    public static String call(String tool, String arguments) {
        return SmallChat.call(tool, arguments);
    }

    /** The address on which the server listens. */
    public URI uri() {
        return server.uri();
    }

    /** The prompts that it was asked to answer, after the last of them. */
    public List<String> prompts() {
        return engine.requests.stream()
                .map(request -> SmallChat.text(request.prompt().tokens()))
                .toList();
    }

    /** Waits until something is asked; false if nobody does. */
    public boolean awaitRequest() throws InterruptedException {
        return engine.submitted.await(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    /** Waits until an answer is not wanted any more; false if it is wanted to the last. */
    public boolean awaitCancelled() throws InterruptedException {
        return engine.cancelled.await(LIMIT_SECONDS, TimeUnit.SECONDS);
    }

    @Override
    public void close() {
        server.close();
        engine.close();
    }
}
