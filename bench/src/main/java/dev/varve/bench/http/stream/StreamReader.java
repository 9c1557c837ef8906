package dev.varve.bench.http.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.OptionalLong;
import java.util.function.Consumer;
import java.util.function.IntConsumer;

/** Puts the answer together from the lines of its stream. For one thread at a time. */
final class StreamReader implements SseLines.Listener {
    private final long sent;
    private final IntConsumer progress;
    private final Consumer<String> content;
    private final List<Long> chunks = new ArrayList<>();
    private Optional<Usage> usage = Optional.empty();
    private Optional<String> failure = Optional.empty();
    private Optional<String> stray = Optional.empty();
    private OptionalLong ended = OptionalLong.empty();

    /**
     * @param sent when the request was sent
     * @param progress receives the number of chunks so far with each chunk with text
     */
    StreamReader(long sent, IntConsumer progress) {
        this(sent, progress, _ -> {});
    }

    /**
     * @param content receives the parts of the text, without reasoning
     */
    StreamReader(long sent, IntConsumer progress, Consumer<String> content) {
        this.sent = sent;
        this.progress = progress;
        this.content = content;
    }

    @Override
    public void line(String line, long nanos) {
        switch (StreamEvent.parse(line)) {
            case StreamEvent.Chunk chunk -> chunk(chunk, nanos);
            case StreamEvent.Done _ -> ended = OptionalLong.of(nanos);
            case StreamEvent.Failure(String reason) ->
                    failure = failure.or(() -> Optional.of(reason));
            case StreamEvent.Nothing _ ->
                    stray = stray.or(() -> Optional.of(line).filter(text -> !text.isBlank()));
        }
    }

    private void chunk(StreamEvent.Chunk chunk, long nanos) {
        usage = chunk.usage().or(() -> usage);
        content.accept(chunk.content());
        if (chunk.text()) {
            chunks.add(nanos);
            progress.accept(chunks.size());
        }
    }

    /**
     * The answer, when the stream is over.
     *
     * @param rest the text after the last line
     * @throws ServerFailure if the server reported an error, or the stream has no end
     */
    Answer finish(String rest) {
        failure.ifPresent(
                reason -> {
                    throw new ServerFailure(reason);
                });
        if (ended.isEmpty()) {
            String read = chunks.isEmpty() ? ": " + Excerpt.of(stray.orElse(rest)) : "";
            throw new ServerFailure(
                    "the stream ended without [DONE] after " + describeChunks() + read);
        }
        return new Answer(sent, chunks, ended.getAsLong(), usage);
    }

    /** Returns the failure of a broken connection, with the known details. */
    ServerFailure brokenOff(Throwable cause) {
        return new ServerFailure(
                "the stream was cut off after " + describeChunks() + ": " + cause, cause);
    }

    private String describeChunks() {
        return chunks.size() + (chunks.size() == 1 ? " chunk" : " chunks") + " with text";
    }
}
