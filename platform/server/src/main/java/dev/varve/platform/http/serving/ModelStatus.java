package dev.varve.platform.http.serving;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A model of a server at a moment.
 *
 * @param outline what is known without loading it
 * @param state what it is
 * @param reason why it could not be loaded; empty unless that was tried last
 * @param running the model while it is loaded
 * @param counts what happened to it
 */
public record ModelStatus(
        ModelOutline outline,
        ModelState state,
        Optional<String> reason,
        Optional<RunningModel> running,
        Counts counts) {
    /**
     * What happened since the server started.
     *
     * @param requests that it was chosen for
     * @param loads that succeeded
     * @param unloads for want of use or memory, or since its file was replaced
     */
    public record Counts(long requests, long loads, long unloads) {
        static final Counts NONE = new Counts(0, 0, 0);

        Counts plusRequest() {
            return new Counts(requests + 1, loads, unloads);
        }

        Counts plusLoad() {
            return new Counts(requests, loads + 1, unloads);
        }

        Counts plusUnload() {
            return new Counts(requests, loads, unloads + 1);
        }
    }

    /** Checks that nothing is missing. */
    public ModelStatus {
        Objects.requireNonNull(outline);
        Objects.requireNonNull(state);
        Objects.requireNonNull(reason);
        Objects.requireNonNull(running);
        Objects.requireNonNull(counts);
    }

    /** Name for clients. */
    public String id() {
        return outline.id();
    }

    /** Most tokens of a request, prompt and answer. */
    public int contextTokens() {
        return running.map(each -> each.served().engine().status().load().contextTokens())
                .orElse(outline.context().offeredTokens());
    }

    /** What clients can ask for, or expect as long as it is not loaded. */
    public Set<ModelCapability> capabilities() {
        return running.map(RunningModel::capabilities).orElseGet(outline::capabilities);
    }
}
