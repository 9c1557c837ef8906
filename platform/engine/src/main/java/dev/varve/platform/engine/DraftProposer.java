package dev.varve.platform.engine;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.Speculator;
import dev.varve.platform.draft.RemoteDraftStatus;
import dev.varve.platform.draft.RemoteSpeculator;
import dev.varve.platform.prefix.FeatureKind;
import dev.varve.platform.prefix.TrailingFeatures;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.speculation.SpeculationController;
import dev.varve.platform.speculation.TreeOptions;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * Proposes draft tokens for the sequences in decode, and chooses how many of them the next step
 * verifies. If the speculator fails, decoding continues without it. Only the engine's thread uses
 * it.
 */
final class DraftProposer {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    private volatile Optional<SpeculationOptions> options;
    private final int vocabulary;
    private final int depth;

    /** Read from the speculator once: the shards capture no other layers later. */
    private final List<Integer> captures;

    private final boolean acceptsImages;
    private final boolean enabled;
    private final SpeculationCounts.Running counts;
    private final SpeculationController lengthController;
    private final FeatureBackfill backfill;

    /** Number of times that the speculator has lost its features. */
    private long losses;

    /** Sequences of the last decode step that still run. */
    private int inDecode;

    /**
     * @param vocabulary vocabulary size of the model
     */
    DraftProposer(Optional<SpeculationOptions> options, int vocabulary) {
        this.options = options;
        this.vocabulary = vocabulary;
        depth = options.map(SpeculationOptions::most).orElse(1);
        counts =
                new SpeculationCounts.Running(
                        options.map(SpeculationOptions::name).orElse(""),
                        depth,
                        options.map(SpeculationOptions::columns).orElse(depth));
        enabled = options.isPresent();
        captures = options.map(this::readCaptures).orElse(List.of());
        acceptsImages = options.map(this::readAcceptsImages).orElse(false);
        lengthController =
                new SpeculationController(
                        depth,
                        options.map(SpeculationOptions::width).orElse(OptionalInt.empty()),
                        !captures.isEmpty(),
                        options.map(SpeculationOptions::trees).orElse(TreeOptions.OFF));
        backfill = new FeatureBackfill(captures, this::show);
    }

    private List<Integer> readCaptures(SpeculationOptions given) {
        try {
            return List.copyOf(given.speculator().captures());
        } catch (RuntimeException | Error e) {
            disable(e);
            return List.of();
        }
    }

    private boolean readAcceptsImages(SpeculationOptions given) {
        try {
            return given.speculator().acceptsImages();
        } catch (RuntimeException | Error e) {
            disable(e);
            return false;
        }
    }

    /** Returns whether prompts with images have draft tokens. Any thread. */
    boolean acceptsImages() {
        return acceptsImages;
    }

    /** Returns the tracker for a new request. Any thread. */
    DraftAcceptanceTracker newTracker() {
        return new DraftAcceptanceTracker(depth);
    }

    /** Returns the layers whose input a batch captures. */
    List<Integer> captures(List<BatchEntry> entries) {
        if (options.isEmpty() || captures.isEmpty()) {
            return List.of();
        }
        int sequences = inDecode;
        boolean wanted = false;
        for (BatchEntry entry : entries) {
            wanted |= entry.request().mostDraftTokens() > 0;
            sequences += entry.request().isInDecode() ? 0 : 1;
        }
        return wanted && lengthController.collectsFeatures(Math.max(1, sequences))
                ? captures
                : List.of();
    }

    /**
     * Returns the features that the speculator reads, if any.
     *
     * @param hidden elements of one hidden state
     */
    Optional<FeatureKind> features(int hidden) {
        return captures.isEmpty()
                ? Optional.empty()
                : Optional.of(new FeatureKind(captures, hidden));
    }

    /** Queues the stored features of a resumed prefix for the speculator. */
    void resumeSpeculation(Request request, TrailingFeatures states) {
        if (options.isPresent()
                && request.mostDraftTokens() > 0
                && lengthController.collectsFeatures(inDecode + 1)) {
            backfill.add(request, states);
        }
    }

    /** Returns whether the speculator lost features since the last call. */
    boolean hasLostFeatures() {
        if (captures.isEmpty() || options.isEmpty()) {
            return false;
        }
        long before = losses;
        try {
            losses = options.get().speculator().losses();
        } catch (RuntimeException | Error e) {
            disable(e);
        }
        return losses != before;
    }

    /** Passes stored features to the speculator until {@code nanos} have elapsed. */
    void passQueuedFeatures(long nanos) {
        backfill.showSome(nanos);
    }

    /** Returns the counts of all draft tokens. */
    SpeculationCounts counts() {
        return enabled ? counts.get() : SpeculationCounts.NONE;
    }

    /** Returns the status of a speculator in another process, if there is one. Any thread. */
    Optional<RemoteDraftStatus> remoteStatus() {
        return options.map(SpeculationOptions::speculator)
                .filter(RemoteSpeculator.class::isInstance)
                .map(speculator -> ((RemoteSpeculator) speculator).status());
    }

    /** Records draft tokens that a step verified. */
    void verified(Request request, DraftTokens draftTokens, int right) {
        request.drafts().verified(draftTokens.count(), right);
        counts.verified(draftTokens, right);
    }

    /** Records the duration of a decode step. */
    void measured(int tokens, long nanos) {
        lengthController.recordStepTime(tokens, nanos);
    }

    /**
     * Returns the draft tokens that the next step verifies.
     *
     * @param requests all requests of the step
     * @param most per request, most consecutive draft tokens
     * @param room per request, draft tokens for which there is room
     * @param meanwhile work that runs while another process proposes draft tokens
     * @return the draft tokens of each request
     */
    List<DraftTokens> propose(List<Request> requests, int[] most, int[] room, Runnable meanwhile) {
        List<DraftTokens> chosen =
                new ArrayList<>(Collections.nCopies(requests.size(), DraftTokens.NONE));
        if (options.isEmpty() || requests.isEmpty()) {
            return chosen;
        }
        inDecode = requests.size();
        requests.forEach(
                request ->
                        request.drafts()
                                .record(
                                        request.tokens(),
                                        lengthController.rates(),
                                        lengthController.trees()));
        List<Integer> asked = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            if (most[i] > 0) {
                backfill.showAll(requests.get(i));
                asked.add(i);
            }
        }
        if (asked.isEmpty() || !lengthController.requestsDrafts(requests.size(), asked.size())) {
            return chosen;
        }
        int branched = lengthController.branched();
        List<DraftRequest> asks = new ArrayList<>();
        for (int i : asked) {
            int straight = Math.min(most[i], depth);
            int all = Math.min(branched, room[i]);
            asks.add(
                    new DraftRequest(
                            requests.get(i).arrival(),
                            requests.get(i).tokens(),
                            straight,
                            all > straight ? all : 0));
        }
        long begin = System.nanoTime();
        if (begins(List.copyOf(asks))) {
            meanwhile.run();
        }
        List<Draft> drafts = requestDrafts(List.copyOf(asks), begin);
        if (options.isEmpty()) {
            return chosen;
        }
        List<SpeculationController.DraftWithRates> draftCandidates = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            Request request = requests.get(asked.get(i));
            draftCandidates.add(
                    new SpeculationController.DraftWithRates(
                            allowed(request, drafts.get(i)), request.drafts().rates()));
        }
        int[] counts = lengthController.choose(draftCandidates, requests.size());
        for (int i = 0; i < asked.size(); i++) {
            Draft draft = draftCandidates.get(i).draft();
            Request request = requests.get(asked.get(i));
            request.drafts().propose(draft, request.known());
            chosen.set(asked.get(i), DraftTokens.of(draft, counts[i]));
        }
        return chosen;
    }

    /**
     * Ends the pending draft of a request whose next tokens are forced: they do not measure
     * acceptance.
     */
    void endPendingDraft(Request request) {
        if (options.isPresent()) {
            request.drafts()
                    .conclude(request.tokens(), lengthController.rates(), lengthController.trees());
        }
    }

    /** Returns the part of a draft that the request's constraint allows. */
    private static Draft allowed(Request request, Draft draft) {
        TokenConstraint constraint = request.rules().constraint();
        if (draft.tokens().length == 0 || !constraint.constrains()) {
            return draft;
        }
        int[] spine = Arrays.copyOf(draft.tokens(), draft.spine());
        int count;
        try {
            count = constraint.allowed(spine.clone());
        } catch (RuntimeException e) {
            LOG.log(
                    System.Logger.Level.DEBUG,
                    "a token constraint could not check draft tokens",
                    e);
            // The constraint fails again when a token is chosen, which ends its request only.
            count = 0;
        }
        return count >= spine.length
                ? draft
                : new Draft(Arrays.copyOf(spine, Math.max(0, count)), draft.grade());
    }

    /** Starts a proposal in another process; returns whether there is one. */
    private boolean begins(List<DraftRequest> asks) {
        try {
            if (options.orElseThrow().speculator() instanceof RemoteSpeculator remote) {
                remote.begin(asks);
                return true;
            }
        } catch (RuntimeException | Error e) {
            disable(e);
        }
        return false;
    }

    private List<Draft> requestDrafts(List<DraftRequest> asks, long begin) {
        if (options.isEmpty()) {
            return List.of();
        }
        try {
            List<Draft> drafts = options.get().speculator().propose(asks);
            if (drafts.size() != asks.size()) {
                throw new IllegalStateException(
                        "the speculator returned "
                                + drafts.size()
                                + " drafts for "
                                + asks.size()
                                + " sequences");
            }
            List<Draft> fitting = new ArrayList<>(drafts.size());
            for (int i = 0; i < asks.size(); i++) {
                fitting.add(fit(drafts.get(i), asks.get(i)));
            }
            lengthController.recordDraftTime(
                    (int) fitting.stream().filter(draft -> draft.tokens().length > 0).count(),
                    asks.stream().anyMatch(ask -> ask.branched() > 0),
                    System.nanoTime() - begin);
            return fitting;
        } catch (RuntimeException | Error e) {
            disable(e);
            return asks.stream().map(ask -> Draft.NONE).toList();
        }
    }

    /** Returns a copy of the usable part of a draft, after a check of its tokens. */
    private Draft fit(Draft draft, DraftRequest ask) {
        Draft fitting = DraftTokens.fit(draft, ask.most(), ask.branched());
        for (int token : fitting.tokens()) {
            if (token < 0 || token >= vocabulary) {
                throw new IllegalStateException(
                        "draft token " + token + " is outside the vocabulary of " + vocabulary);
            }
        }
        return fitting;
    }

    private void disable(Throwable failure) {
        LOG.log(
                System.Logger.Level.ERROR,
                "the speculator failed; speculative decoding is off until the model is loaded"
                        + " again",
                failure);
        close();
    }

    /**
     * Passes the features of a request's tokens to the speculator; those of a chunk before the end
     * of a prompt later, since they would delay the first token.
     */
    void observe(
            Request request,
            int firstPosition,
            int tokens,
            List<CapturedFeature> features,
            int column) {
        if (options.isEmpty()
                || request.mostDraftTokens() == 0
                || tokens == 0
                || features.isEmpty()) {
            return;
        }
        List<HiddenStates.Layer> layers = new ArrayList<>(features.size());
        for (CapturedFeature feature : features) {
            layers.add(new HiddenStates.Layer(feature.layer(), feature.values(), column));
        }
        HiddenStates states = new HiddenStates(request.arrival(), firstPosition, tokens, layers);
        if (request.isInPrefill()) {
            backfill.defer(request, states);
        } else {
            backfill.showAll(request);
            show(request, states);
        }
    }

    /** Passes features to the speculator; returns whether more may follow. */
    private boolean show(Request request, HiddenStates states) {
        if (options.isEmpty() || !request.isRunning()) {
            return false;
        }
        long begin = System.nanoTime();
        try {
            options.get().speculator().observe(states, request.tokens());
            lengthController.recordFeatureTime(states.tokens(), System.nanoTime() - begin);
            return true;
        } catch (RuntimeException | Error e) {
            disable(e);
            return false;
        }
    }

    /** Removes a request that has ended or lost its sequence. */
    void remove(Request request) {
        inDecode = Math.max(0, inDecode - 1);
        restart(request);
    }

    /** Removes a sequence from the speculator, which starts it anew. */
    void restart(Request request) {
        backfill.remove(request);
        options.ifPresent(
                given -> {
                    try {
                        given.speculator().forget(request.arrival());
                    } catch (RuntimeException | Error e) {
                        disable(e);
                    }
                });
    }

    /** Closes the speculator. */
    void close() {
        Optional<SpeculationOptions> given = options;
        options = Optional.empty();
        given.ifPresent(
                each -> {
                    try {
                        Speculator speculator = each.speculator();
                        speculator.close();
                    } catch (RuntimeException | Error e) {
                        LOG.log(System.Logger.Level.WARNING, "closing a speculator failed", e);
                    }
                });
    }
}
