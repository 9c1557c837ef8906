package dev.varve.platform.http.answer;

import dev.varve.api.VarveException;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.resume.ResumableStream;
import dev.varve.platform.setting.SettingNames;

import java.io.IOException;
import java.util.function.Consumer;

/** Writes a response into a resumable stream, whether or not a client reads it. */
final class ResumableResponseWriter implements Runnable {
    private final ResumableStream stream;
    private final ChoiceEventQueue choices;
    private final int count;
    private final StreamingResponseWriter writer;
    private final Runnable release;
    private final Consumer<RuntimeException> failures;

    /**
     * Makes a writer for submitted choices.
     *
     * @param release run after generation ends
     * @param failures receives failures of the server itself
     */
    ResumableResponseWriter(
            ResumableStream stream,
            ChoiceEventQueue choices,
            PreparedRequest pending,
            SettingNames names,
            Runnable release,
            Consumer<RuntimeException> failures) {
        this.failures = failures;
        this.release = release;
        this.stream = stream;
        this.choices = choices;
        count = pending.choices().size();
        writer =
                new StreamingResponseWriter(
                        new Sink(stream, pending.format().waitsInOrder()),
                        pending.format(),
                        names,
                        StreamingResponseWriter.HEARTBEAT_INTERVAL);
    }

    /**
     * Drops heartbeats that need no position in the stream: {@link ResumableStreamSender} makes
     * them for the client that reads.
     */
    private record Sink(ResumableStream stream, boolean inOrder) implements EventSink {
        @Override
        public void send(StreamEvent event) {
            stream.append(SseWriter.text(event));
        }

        @Override
        public void sendHeartbeat(StreamEvent event) {
            if (inOrder && !(event instanceof StreamEvent.Comment)) {
                send(event);
            }
        }
    }

    @Override
    public void run() {
        ChoiceEventReader reader = new ChoiceEventReader(choices, stream::isCancelled);
        try (choices) {
            writer.write(reader, count);
        } catch (IOException e) {
            reader.fail();
            breakOff(
                    ApiException.of(
                            new VarveException(
                                    VarveException.Kind.CANCELLED, "the stream was cancelled")));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            reader.fail();
        } catch (RuntimeException e) {
            failures.accept(e);
            reader.fail();
            breakOff(ApiException.internal());
        } finally {
            RequestOutcome outcome = reader.outcome();
            stream.end(outcome.finishReason().orElse(""), outcome.generatedTokens());
            release.run();
        }
    }

    private void breakOff(ApiException error) {
        try {
            writer.fail(error);
        } catch (IOException e) {
            throw new AssertionError("writing to memory cannot fail", e);
        }
    }
}
