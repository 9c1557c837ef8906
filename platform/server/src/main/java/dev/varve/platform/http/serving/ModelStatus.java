package dev.varve.platform.http.serving;

import java.util.Objects;
import java.util.Optional;
import java.util.Set;

/**
 * A snapshot of a model's state.
 *
 * @param outline facts that are known without loading it
 * @param state current state
 * @param reason why the model failed; empty unless its state is FAILED
 * @param running the model while it is loaded
 * @param counts numbers of requests, loads and unloads
 */
public record ModelStatus(
        ModelOutline outline,
        ModelState state,
        Optional<String> reason,
        Optional<RunningModel> running,
        Counts counts) {
    /**
     * Counts since the server started.
     *
     * @param requests requests that resolved to the model
     * @param loads successful loads
     * @param unloads unloads because the model was idle, memory was needed, or the file was
     *     replaced
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

    /** Checks for null. */
    public ModelStatus {
        Objects.requireNonNull(outline);
        Objects.requireNonNull(state);
        Objects.requireNonNull(reason);
        Objects.requireNonNull(running);
        Objects.requireNonNull(counts);
    }

    /** Returns the name for clients. */
    public String id() {
        return outline.id();
    }

    /** Returns the maximum number of tokens of a request, prompt and response together. */
    public int contextTokens() {
        return running.map(each -> each.served().engine().status().load().contextTokens())
                .orElse(outline.context().offeredTokens());
    }

    /** Returns the capabilities; the expected ones while the model is not loaded. */
    public Set<ModelCapability> capabilities() {
        return running.map(RunningModel::capabilities).orElseGet(outline::capabilities);
    }
}
