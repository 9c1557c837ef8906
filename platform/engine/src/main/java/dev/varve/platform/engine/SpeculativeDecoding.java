package dev.varve.platform.engine;

import dev.varve.api.speculation.Draft;
import dev.varve.api.speculation.DraftRequest;
import dev.varve.api.speculation.HiddenStates;
import dev.varve.api.speculation.Speculator;
import dev.varve.platform.draft.DraftStatus;
import dev.varve.platform.draft.RemoteSpeculator;
import dev.varve.platform.prefix.FeatureKind;
import dev.varve.platform.prefix.FeatureSpan;
import dev.varve.platform.shard.CapturedFeature;
import dev.varve.platform.speculation.DraftLengthController;
import dev.varve.platform.speculation.TreeOptions;

import java.util.ArrayList;
import java.util.Arrays;
import java.util.Collections;
import java.util.List;
import java.util.Optional;
import java.util.OptionalInt;

/**
 * What is guessed of the sequences in decode, and how much of it the next step checks. A speculator
 * that fails is done without: guesses are never needed. Only the engine's thread uses it.
 */
final class SpeculativeDecoding {
    private static final System.Logger LOG = System.getLogger("dev.varve.engine");

    private volatile Optional<SpeculationOptions> options;
    private final int vocabulary;
    private final int depth;

    /** Asked for once: the shards offer no others, whatever a plugin says later. */
    private final List<Integer> captures;

    private final boolean guesses;
    private final SpeculationCounts.Running counts;
    private final DraftLengthController economy;
    private final FeatureBackfill earlier;

    /** How often the speculator had lost what it was shown. */
    private long losses;

    /** Sequences in the last step of decode that are there still. */
    private int inDecode;

    /**
     * @param vocabulary tokens of the model
     */
    SpeculativeDecoding(Optional<SpeculationOptions> options, int vocabulary) {
        this.options = options;
        this.vocabulary = vocabulary;
        depth = options.map(SpeculationOptions::most).orElse(1);
        counts =
                new SpeculationCounts.Running(
                        options.map(SpeculationOptions::name).orElse(""),
                        depth,
                        options.map(SpeculationOptions::columns).orElse(depth));
        guesses = options.isPresent();
        captures = options.map(this::askCaptures).orElse(List.of());
        economy =
                new DraftLengthController(
                        depth,
                        options.map(SpeculationOptions::width).orElse(OptionalInt.empty()),
                        !captures.isEmpty(),
                        options.map(SpeculationOptions::trees).orElse(TreeOptions.OFF));
        earlier = new FeatureBackfill(captures, this::show);
    }

    private List<Integer> askCaptures(SpeculationOptions given) {
        try {
            return List.copyOf(given.speculator().captures());
        } catch (RuntimeException | Error e) {
            giveUp(e);
            return List.of();
        }
    }

    /** What a new request needs. Any thread may ask. */
    DraftAcceptanceTracker forRequest() {
        return new DraftAcceptanceTracker(depth);
    }

    /** Layers whose input is wanted of the tokens of some requests. */
    List<Integer> captures(List<BatchEntry> works) {
        if (options.isEmpty() || captures.isEmpty()) {
            return List.of();
        }
        int sequences = inDecode;
        boolean wanted = false;
        for (BatchEntry work : works) {
            wanted |= work.request().mayDraft() > 0;
            sequences += work.request().isInDecode() ? 0 : 1;
        }
        return wanted && economy.follows(Math.max(1, sequences)) ? captures : List.of();
    }

    /**
     * The hidden states that it asks for, if any.
     *
     * @param hidden elements of one
     */
    Optional<FeatureKind> features(int hidden) {
        return captures.isEmpty()
                ? Optional.empty()
                : Optional.of(new FeatureKind(captures, hidden));
    }

    /** A request goes on behind positions that were computed earlier, with these states. */
    void goesOn(Request request, FeatureSpan states) {
        if (options.isPresent() && request.mayDraft() > 0 && economy.follows(inDecode + 1)) {
            earlier.add(request, states);
        }
    }

    /** Whether the speculator lost what it was shown since this was asked last. */
    boolean hasLost() {
        if (captures.isEmpty() || options.isEmpty()) {
            return false;
        }
        long before = losses;
        try {
            losses = options.get().speculator().losses();
        } catch (RuntimeException | Error e) {
            giveUp(e);
        }
        return losses != before;
    }

    /** Shows the speculator some of what was computed earlier, for a while. */
    void catchUp(long nanos) {
        earlier.showSome(nanos);
    }

    /** What became of all guesses. */
    SpeculationCounts counts() {
        return guesses ? counts.get() : SpeculationCounts.NONE;
    }

    /** How what guesses in another process is, if anything does. Any thread may ask. */
    Optional<DraftStatus> distant() {
        return options.map(SpeculationOptions::speculator)
                .filter(RemoteSpeculator.class::isInstance)
                .map(speculator -> ((RemoteSpeculator) speculator).status());
    }

    /** Takes note of guesses that a step checked. */
    void verified(Request request, DraftTokens guesses, int right) {
        request.drafts().verified(guesses.count(), right);
        counts.verified(guesses, right);
    }

    /** Takes note of how long a step of decode took. */
    void measured(int tokens, long nanos) {
        economy.stepTook(tokens, nanos);
    }

    /**
     * Guesses worth checking in the next step.
     *
     * @param requests all that will be in it
     * @param most per request, how many guesses one after the other can be of use
     * @param room per request, guesses for which there is room
     * @param meanwhile what the model may do while guesses are made elsewhere
     * @return those of each
     */
    List<DraftTokens> propose(List<Request> requests, int[] most, int[] room, Runnable meanwhile) {
        List<DraftTokens> chosen =
                new ArrayList<>(Collections.nCopies(requests.size(), DraftTokens.NONE));
        if (options.isEmpty()) {
            return chosen;
        }
        inDecode = requests.size();
        requests.forEach(
                request ->
                        request.drafts()
                                .settle(request.tokens(), economy.rates(), economy.trees()));
        List<Integer> asked = new ArrayList<>();
        for (int i = 0; i < requests.size(); i++) {
            if (most[i] > 0) {
                earlier.showAll(requests.get(i));
                asked.add(i);
            }
        }
        if (asked.isEmpty() || !economy.asks(requests.size(), asked.size())) {
            return chosen;
        }
        int branched = economy.branched();
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
        List<Draft> drafts = ask(List.copyOf(asks), begin);
        if (options.isEmpty()) {
            return chosen;
        }
        List<DraftLengthController.OfferedModels> offers = new ArrayList<>();
        for (int i = 0; i < asked.size(); i++) {
            Request request = requests.get(asked.get(i));
            offers.add(
                    new DraftLengthController.OfferedModels(
                            allowed(request, drafts.get(i)), request.drafts().rates()));
        }
        int[] counts = economy.choose(offers, requests.size());
        for (int i = 0; i < asked.size(); i++) {
            Draft draft = offers.get(i).draft();
            Request request = requests.get(asked.get(i));
            request.drafts().propose(draft, request.known());
            chosen.set(asked.get(i), DraftTokens.of(draft, counts[i]));
        }
        return chosen;
    }

    /** Tokens of a request are certain to come: that they were guessed as well says nothing. */
    void passOver(Request request) {
        if (options.isPresent()) {
            request.drafts().conclude(request.tokens(), economy.rates(), economy.trees());
        }
    }

    /** What of a draft the request's guide would let pass. */
    private static Draft allowed(Request request, Draft draft) {
        TokenGuide guide = request.rules().guide();
        if (draft.tokens().length == 0 || !guide.constrains()) {
            return draft;
        }
        int[] spine = Arrays.copyOf(draft.tokens(), draft.spine());
        int count;
        try {
            count = guide.allowed(spine.clone());
        } catch (RuntimeException e) {
            LOG.log(System.Logger.Level.DEBUG, "a guide cannot tell what may follow", e);
            // It says so again when a token is chosen, where that ends its request alone.
            count = 0;
        }
        return count >= spine.length
                ? draft
                : new Draft(Arrays.copyOf(spine, Math.max(0, count)), draft.grade());
    }

    /** Whether guesses are being made elsewhere already. */
    private boolean begins(List<DraftRequest> asks) {
        try {
            if (options.orElseThrow().speculator() instanceof RemoteSpeculator distant) {
                distant.begin(asks);
                return true;
            }
        } catch (RuntimeException | Error e) {
            giveUp(e);
        }
        return false;
    }

    private List<Draft> ask(List<DraftRequest> asks, long begin) {
        if (options.isEmpty()) {
            return List.of();
        }
        try {
            List<Draft> drafts = options.get().speculator().propose(asks);
            if (drafts.size() != asks.size()) {
                throw new IllegalStateException(
                        drafts.size() + " drafts for " + asks.size() + " sequences");
            }
            List<Draft> fitting = new ArrayList<>(drafts.size());
            for (int i = 0; i < asks.size(); i++) {
                fitting.add(fit(drafts.get(i), asks.get(i)));
            }
            economy.guessingTook(
                    (int) fitting.stream().filter(draft -> draft.tokens().length > 0).count(),
                    asks.stream().anyMatch(ask -> ask.branched() > 0),
                    System.nanoTime() - begin);
            return fitting;
        } catch (RuntimeException | Error e) {
            giveUp(e);
            return asks.stream().map(ask -> Draft.NONE).toList();
        }
    }

    /** What of a draft can be of use, safe from whoever made it. */
    private Draft fit(Draft draft, DraftRequest ask) {
        Draft fitting = DraftTokens.fit(draft, ask.most(), ask.branched());
        for (int token : fitting.tokens()) {
            if (token < 0 || token >= vocabulary) {
                throw new IllegalStateException(
                        "guess of token " + token + ", outside the vocabulary of " + vocabulary);
            }
        }
        return fitting;
    }

    private void giveUp(Throwable failure) {
        LOG.log(
                System.Logger.Level.ERROR,
                "the speculator failed; tokens are not guessed any more",
                failure);
        close();
    }

    /** Shows the speculator what the tokens of a request were to the model. */
    void observe(
            Request request,
            int firstPosition,
            int tokens,
            List<CapturedFeature> features,
            int column) {
        if (options.isEmpty() || request.mayDraft() == 0 || tokens == 0 || features.isEmpty()) {
            return;
        }
        earlier.showAll(request);
        List<HiddenStates.Layer> layers = new ArrayList<>(features.size());
        for (CapturedFeature feature : features) {
            layers.add(new HiddenStates.Layer(feature.layer(), feature.values(), column));
        }
        show(request, new HiddenStates(request.arrival(), firstPosition, tokens, layers));
    }

    /** Returns whether others may follow. */
    private boolean show(Request request, HiddenStates states) {
        if (options.isEmpty() || !request.isRunning()) {
            return false;
        }
        long begin = System.nanoTime();
        try {
            options.get().speculator().observe(states, request.tokens());
            economy.takingInTook(states.tokens(), System.nanoTime() - begin);
            return true;
        } catch (RuntimeException | Error e) {
            giveUp(e);
            return false;
        }
    }

    /** A request has ended or lost what was computed of it. */
    void forget(Request request) {
        inDecode = Math.max(0, inDecode - 1);
        beginAnew(request);
    }

    /** The speculator begins with a sequence that it may have seen something of. */
    void beginAnew(Request request) {
        earlier.forget(request);
        options.ifPresent(
                given -> {
                    try {
                        given.speculator().forget(request.arrival());
                    } catch (RuntimeException | Error e) {
                        giveUp(e);
                    }
                });
    }

    /** Frees what the speculator holds. */
    void close() {
        Optional<SpeculationOptions> given = options;
        options = Optional.empty();
        given.ifPresent(
                each -> {
                    try {
                        Speculator speculator = each.speculator();
                        speculator.close();
                    } catch (RuntimeException | Error e) {
                        LOG.log(System.Logger.Level.WARNING, "a speculator was not closed", e);
                    }
                });
    }
}
