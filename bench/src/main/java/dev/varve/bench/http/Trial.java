package dev.varve.bench.http;

import dev.varve.bench.http.stream.ServerFailure;

/** A repeated measurement on one side. */
interface Trial {
    /**
     * Measures once.
     *
     * @param round counted from 0; {@link Rounds#WARM_UP} is not counted
     * @throws ServerFailure if there is nothing to measure
     */
    Sample run(int round) throws InterruptedException;
}
