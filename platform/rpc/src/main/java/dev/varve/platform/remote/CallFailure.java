package dev.varve.platform.remote;

import dev.varve.api.VarveException;
import dev.varve.platform.wire.ChannelLostException;
import dev.varve.platform.wire.WireErrorCode;
import dev.varve.platform.wire.WireException;

import java.util.concurrent.CancellationException;
import java.util.concurrent.CompletionException;

/** Maps the failure of a call to another process to an exception. */
final class CallFailure {
    private CallFailure() {}

    /**
     * Distinguishes a refused request from a lost process. Gives the process up if its connection
     * ended, it missed the deadline, or its message is malformed.
     */
    static RuntimeException meaningOf(
            Throwable failure, ShardSupervisor supervisor, ShardSupervisor.Session session) {
        Throwable cause =
                failure instanceof CompletionException && failure.getCause() != null
                        ? failure.getCause()
                        : failure;
        return switch (cause) {
            case ChannelLostException lost -> supervisor.lost(session, lost.getMessage());
            case WireException late when late.code() == WireErrorCode.DEADLINE ->
                    supervisor.lost(session, "it did not respond in time: " + late.getMessage());
            case MalformedMessageException garbled ->
                    supervisor.lost(session, garbled.getMessage());
            case VarveException known -> known;
            case CancellationException given ->
                    new VarveException(
                            VarveException.Kind.CANCELLED, "the call was cancelled", given);
            default -> supervisor.lost(session, "its response could not be read: " + cause);
        };
    }
}
