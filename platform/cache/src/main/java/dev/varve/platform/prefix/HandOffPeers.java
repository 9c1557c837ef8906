package dev.varve.platform.prefix;

import java.time.Duration;
import java.util.ArrayList;
import java.util.EnumMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.OptionalDouble;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.LongSupplier;

/**
 * The prefill peers of a server: chooses one for a prompt by the expected time, suspends those that
 * failed, and counts outcomes. All replicas share it. Thread-safe.
 */
public final class HandOffPeers implements AutoCloseable {
    /** Maximum prompts that one peer computes or transfers for this server at once. */
    public static final int MOST_JOBS = 32;

    /** Jobs of a peer for which its store is searched at the shortest interval. */
    private static final int JOBS_PER_SEARCH = 4;

    private static final long FIRST_SUSPENSION = Duration.ofSeconds(5).toNanos();
    private static final long LONGEST_SUSPENSION = Duration.ofMinutes(5).toNanos();

    private final HandOffMode mode;
    private final LongSupplier clock;
    private final List<Candidate> candidates;
    private final AtomicInteger owners = new AtomicInteger(1);

    /** Guarded by this object, like the fields of the candidates. */
    private final Map<HandOffOutcome, Long> outcomes = new EnumMap<>(HandOffOutcome.class);

    private long adoptedTokens;

    /** Load, suspension and measured transfer speed of a peer. */
    private static final class Candidate {
        private final PrefillPeer peer;
        private int jobs;
        private long pendingTokens;
        private long suspendedUntil;
        private long suspension;
        private double bytesPerMilli;

        Candidate(PrefillPeer peer) {
            this.peer = peer;
        }

        /** Expected time until a prompt is computed and transferred; unknown parts count as 0. */
        double millis(Prompt prompt) {
            double bytes = (double) prompt.tokens() * prompt.bytesPerToken();
            return (pendingTokens + prompt.tokens()) * peer.millisPerToken().orElse(0)
                    + (bytesPerMilli > 0 ? bytes / bytesPerMilli : 0);
        }
    }

    /**
     * Size of a prompt and its cost on this server.
     *
     * @param tokens number of tokens to compute
     * @param bytesPerToken bytes of the blocks per token
     * @param localMillis expected time until this server has computed it; empty if unknown
     */
    record Prompt(int tokens, long bytesPerToken, OptionalDouble localMillis) {}

    /** A prompt that a peer computes. */
    final class Assignment {
        private final Candidate candidate;
        private final Prompt prompt;
        private final long tokensAhead;

        private Assignment(Candidate candidate, Prompt prompt) {
            this.candidate = candidate;
            this.prompt = prompt;
            tokensAhead = candidate.pendingTokens;
        }

        PrefillPeer peer() {
            return candidate.peer;
        }

        /** Returns the tokens that this server sent before and the peer had not computed yet. */
        long tokensAhead() {
            return tokensAhead;
        }

        /** Returns by how much searches are rarer because many prompts wait for the peer. */
        int searchPeriods() {
            synchronized (HandOffPeers.this) {
                return Math.max(1, candidate.jobs / JOBS_PER_SEARCH);
            }
        }

        /** Records that the peer has computed the prompt, or failed. */
        void endPrefill() {
            synchronized (HandOffPeers.this) {
                candidate.jobs--;
                candidate.pendingTokens -= prompt.tokens();
            }
        }

        /**
         * Records that the blocks were adopted.
         *
         * @param tokens number of adopted tokens
         * @param bytes transferred bytes
         * @param millis duration of the transfer
         */
        void adopted(int tokens, long bytes, double millis) {
            synchronized (HandOffPeers.this) {
                count(HandOffOutcome.ADOPTED);
                adoptedTokens += tokens;
                candidate.suspension = 0;
                if (bytes > 0 && millis > 0) {
                    double speed = bytes / millis;
                    candidate.bytesPerMilli =
                            candidate.bytesPerMilli == 0
                                    ? speed
                                    : (3 * candidate.bytesPerMilli + speed) / 4;
                }
            }
        }

        /** Records a failure, and suspends the peer if it caused the failure. */
        void failed(HandOffOutcome outcome) {
            synchronized (HandOffPeers.this) {
                count(outcome);
                if (outcome.suspends()) {
                    candidate.suspension =
                            Math.clamp(
                                    2 * candidate.suspension, FIRST_SUSPENSION, LONGEST_SUSPENSION);
                    candidate.suspendedUntil = clock.getAsLong() + candidate.suspension;
                }
            }
        }
    }

    /**
     * @param peers closed with this object
     * @param clock nanoseconds
     */
    HandOffPeers(List<? extends PrefillPeer> peers, HandOffMode mode, LongSupplier clock) {
        this.mode = mode;
        this.clock = clock;
        candidates = peers.stream().map(Candidate::new).toList();
    }

    /** Creates the choice among peers, which are closed with it. */
    public static HandOffPeers of(List<? extends PrefillPeer> peers, HandOffMode mode) {
        return new HandOffPeers(peers, mode, System::nanoTime);
    }

    /** Returns the same peers for one more owner, which closes them as well. */
    HandOffPeers share() {
        owners.incrementAndGet();
        return this;
    }

    /**
     * Chooses the peer that is expected to compute a prompt first.
     *
     * @return empty if no peer is available, or this server is expected to be sooner
     */
    synchronized Optional<Assignment> choose(Prompt prompt) {
        Optional<Candidate> best = Optional.empty();
        for (Candidate each : candidates) {
            if (isAvailable(each)
                    && each.jobs < MOST_JOBS
                    && prompt.tokens() * prompt.bytesPerToken() <= each.peer.capacityBytes()
                    && best.filter(other -> other.millis(prompt) <= each.millis(prompt))
                            .isEmpty()) {
                best = Optional.of(each);
            }
        }
        if (best.isEmpty()) {
            count(HandOffOutcome.UNAVAILABLE);
            return Optional.empty();
        }
        if (!pays(best.get(), prompt)) {
            count(HandOffOutcome.FASTER_HERE);
            return Optional.empty();
        }
        Assignment assignment = new Assignment(best.get(), prompt);
        best.get().jobs++;
        best.get().pendingTokens += prompt.tokens();
        return Optional.of(assignment);
    }

    /** A server that has not measured its own speed computes the prompt, and so measures it. */
    private boolean pays(Candidate best, Prompt prompt) {
        return mode == HandOffMode.ALWAYS
                || prompt.localMillis().isPresent()
                        && best.millis(prompt) < prompt.localMillis().getAsDouble();
    }

    private boolean isAvailable(Candidate each) {
        return each.peer.archive().isAvailable()
                && (each.suspension == 0 || clock.getAsLong() - each.suspendedUntil >= 0);
    }

    private void count(HandOffOutcome outcome) {
        outcomes.merge(outcome, 1L, Long::sum);
    }

    /** Statistics; never waits for a peer. */
    synchronized HandOffStatus status() {
        List<HandOffStatus.Peer> peers = new ArrayList<>();
        long bytes = 0;
        for (Candidate each : candidates) {
            peers.add(new HandOffStatus.Peer(each.peer.address(), isAvailable(each)));
            bytes += each.peer.archive().status().readBytes();
        }
        return new HandOffStatus(peers, outcomes, adoptedTokens, bytes);
    }

    /** Closes the peers after the last owner's call. */
    @Override
    public void close() {
        if (owners.decrementAndGet() == 0) {
            candidates.forEach(each -> each.peer.close());
        }
    }
}
