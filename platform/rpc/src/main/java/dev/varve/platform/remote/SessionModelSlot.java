package dev.varve.platform.remote;

import dev.varve.platform.wire.Message;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import java.util.Optional;
import java.util.function.Function;

/**
 * The model of one kind that a session has loaded, if any. For one thread.
 *
 * @param <T> the kind
 */
final class SessionModelSlot<T extends SessionModel> implements AutoCloseable {
    private final String missing;
    private Optional<T> current = Optional.empty();

    /**
     * @param missing message of the error for requests while none is loaded
     */
    SessionModelSlot(String missing) {
        this.missing = missing;
    }

    T current() {
        return current.orElseThrow(() -> new WireException(WireErrorCode.INVALID_REQUEST, missing));
    }

    /** Replaces the model; frees the former one first, since both might not fit. */
    <R> Message load(R request, Function<R, T> opening) {
        close();
        current = Optional.of(opening.apply(request));
        return current().describe();
    }

    @Override
    public void close() {
        current.ifPresent(SessionModel::close);
        current = Optional.empty();
    }
}
