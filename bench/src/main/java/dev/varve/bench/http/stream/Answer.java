package dev.varve.bench.http.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;

/**
 * An answer that was read to its end. All times are of {@link System#nanoTime}.
 *
 * @param sent when its request was sent
 * @param chunks times at which each chunk with text arrived, in their order
 * @param ended time of the event that ends the stream
 */
public record Answer(long sent, List<Long> chunks, long ended, Optional<Usage> usage) {
    /** Time between two chunks of one stream. */
    public record Gap(long begin, long end) {
        /** Returns its length. */
        public long nanos() {
            return end - begin;
        }

        /** Whether any part of it lies between two times. */
        public boolean meets(long from, long to) {
            return begin < to && end > from;
        }
    }

    /** Keeps a copy of the times. */
    public Answer {
        chunks = List.copyOf(chunks);
    }

    /** The tokens that the server counted; where it counts none, the chunks with text. */
    public int tokens() {
        return usage.map(Usage::completionTokens).orElse(chunks.size());
    }

    /**
     * Time from the request to the first text.
     *
     * @throws ServerFailure if there was no text
     */
    public long firstTokenNanos() {
        return firstToken() - sent;
    }

    /**
     * Returns the time at which the first text arrived.
     *
     * @throws ServerFailure if there was no text
     */
    public long firstToken() {
        if (chunks.isEmpty()) {
            throw new ServerFailure("the answer has no text, " + tokens() + " tokens were counted");
        }
        return chunks.getFirst();
    }

    /** Time from the request to the end of the answer. */
    public long nanos() {
        return ended - sent;
    }

    /** The times between its chunks, in their order; none for one chunk. */
    public List<Gap> gaps() {
        List<Gap> gaps = new ArrayList<>();
        for (int i = 1; i < chunks.size(); i++) {
            gaps.add(new Gap(chunks.get(i - 1), chunks.get(i)));
        }
        return gaps;
    }
}
