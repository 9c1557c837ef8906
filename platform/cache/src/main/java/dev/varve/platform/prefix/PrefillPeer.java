package dev.varve.platform.prefix;

import dev.varve.platform.sequence.CacheScope;
import dev.varve.platform.store.SharedArchive;

import java.time.Duration;
import java.util.Objects;
import java.util.OptionalDouble;
import java.util.function.BooleanSupplier;

/**
 * A server that computes prompts for this one and keeps their blocks and checkpoints in an archive,
 * from which this server reads them. Thread-safe.
 */
public interface PrefillPeer extends AutoCloseable {
    /**
     * A prompt to compute.
     *
     * @param scope scope of the request
     * @param tokens ids of all tokens to compute
     * @param boundaries positions, ascending, at which the peer keeps a checkpoint; the last one is
     *     the number of tokens
     */
    record Job(CacheScope scope, int[] tokens, int[] boundaries) {
        /** Copies the arrays. */
        public Job {
            Objects.requireNonNull(scope);
            tokens = tokens.clone();
            boundaries = boundaries.clone();
        }

        @Override
        public int[] tokens() {
            return tokens.clone();
        }

        @Override
        public int[] boundaries() {
            return boundaries.clone();
        }
    }

    /** Address for messages and metrics. */
    String address();

    /** Archive of the blocks that the peer computed. */
    SharedArchive archive();

    /** Prefill time of a token that the peer reported last, in milliseconds. Never waits. */
    OptionalDouble millisPerToken();

    /** Most bytes of the blocks of one prompt. Never waits. */
    long capacityBytes();

    /**
     * Has a prompt computed and waits until its blocks can be read.
     *
     * @param limit maximum wait
     * @param isAwaited whether a request still needs the prompt; the peer stops if none does
     * @throws HandOffException if the prompt was not computed
     */
    void prefill(Job job, Duration limit, BooleanSupplier isAwaited) throws HandOffException;

    /** Closes the connection and the archive. */
    @Override
    void close();
}
