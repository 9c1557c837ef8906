package dev.varve.platform.http.trace;

import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.log.LogFields;

import java.util.Optional;
import java.util.OptionalLong;

/**
 * Token counts of a request so far, its first token, its preemptions and its error, for the log: a
 * client may disconnect at any time. Thread-safe: engine threads write it.
 */
public final class RequestProgress {
    private long promptTokens;
    private long cachedTokens;
    private long generatedTokens;
    private int preemptions;
    private OptionalLong firstToken = OptionalLong.empty();
    private Optional<ApiException> error = Optional.empty();

    RequestProgress() {}

    /** Adds the tokens of a prompt that was submitted to the engine. */
    public synchronized void addPrompt(int tokens) {
        promptTokens += tokens;
    }

    /** Adds prompt tokens that came from the prefix cache. */
    public synchronized void addCached(int tokens) {
        cachedTokens += tokens;
    }

    /** Adds generated tokens. */
    public synchronized void addGenerated(int tokens) {
        if (firstToken.isEmpty() && tokens > 0) {
            firstToken = OptionalLong.of(System.nanoTime());
        }
        generatedTokens += tokens;
    }

    /** Counts a preemption of one of its sequences. */
    public synchronized void preempt() {
        preemptions++;
    }

    /** Records the error that the client receives; the first one counts. */
    public synchronized void fail(ApiException reason) {
        if (error.isEmpty()) {
            error = Optional.of(reason);
        }
    }

    /** Returns the recorded error. */
    public synchronized Optional<ApiException> error() {
        return error;
    }

    /**
     * Adds the counts to the fields of a log message, if a prompt was submitted.
     *
     * @param begin when the request arrived, on the clock of {@link System#nanoTime}
     */
    public synchronized void addTo(LogFields fields, long begin) {
        if (promptTokens == 0) {
            return;
        }
        fields.put("prompt_tokens", promptTokens)
                .put("cached_tokens", cachedTokens)
                .put("completion_tokens", generatedTokens);
        firstToken.ifPresent(time -> fields.putMillis("first_token_ms", time - begin));
        if (preemptions > 0) {
            fields.put("preemptions", preemptions);
        }
    }
}
