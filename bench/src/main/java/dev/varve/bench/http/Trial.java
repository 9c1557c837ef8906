package dev.varve.bench.http;

import dev.varve.bench.http.stream.ServerFailure;

/** What is measured on one side, again and again. */
interface Trial {
    /**
     * Measures once.
     *
     * @param round counted from 0; {@link Rounds#WARM_UP} is not counted
     * @throws ServerFailure if there is nothing to measure
     */
    Sample run(int round) throws InterruptedException;
}
