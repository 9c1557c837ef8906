package dev.varve.bench.http.stream;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;

/** Waits for answers. Each comes or fails within the limit of its client. */
public final class Replies {
    private Replies() {}

    /**
     * Returns the result of a request.
     *
     * @throws ServerFailure if it failed
     */
    public static <T> T await(CompletableFuture<T> reply) {
        try {
            return reply.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof ServerFailure failure) {
                throw failure;
            }
            throw e;
        }
    }

    /**
     * Returns the results of all requests. Waits for each, also when one failed, so that the server
     * computes nothing when the next is measured.
     *
     * @throws ServerFailure the first one, with how many there are
     */
    public static <T> List<T> awaitAll(List<CompletableFuture<T>> replies) {
        List<T> good = new ArrayList<>();
        List<ServerFailure> failures = new ArrayList<>();
        for (CompletableFuture<T> reply : replies) {
            try {
                good.add(await(reply));
            } catch (ServerFailure e) {
                failures.add(e);
            }
        }
        if (failures.isEmpty()) {
            return good;
        }
        ServerFailure first = failures.getFirst();
        if (replies.size() == 1) {
            throw first;
        }
        throw new ServerFailure(
                failures.size()
                        + " of "
                        + replies.size()
                        + " requests failed, the first with: "
                        + first.getMessage(),
                first);
    }
}
