package dev.varve.platform.engine;

import dev.varve.api.VarveException;
import dev.varve.testkit.simulation.Simulation;

import java.util.ArrayList;
import java.util.List;
import java.util.Optional;
import java.util.concurrent.CountDownLatch;

/** A client with one request, which records all its events. */
final class SimulatedClient implements GenerationListener {
    private final String name;
    private final Simulation simulation = Simulation.current();
    private final List<Integer> tokens = new ArrayList<>();
    private final CountDownLatch over = new CountDownLatch(1);
    private final int stopsAfter;
    private Optional<GenerationEnd> end = Optional.empty();
    private Optional<VarveException> error = Optional.empty();
    private boolean accepted;
    private int ends;

    /**
     * @param stopsAfter tokens after which the listener stops the request
     */
    SimulatedClient(String name, int stopsAfter) {
        this.name = name;
        this.stopsAfter = stopsAfter;
    }

    @Override
    public boolean onToken(GeneratedToken token) {
        if (ends > 0) {
            throw new AssertionError(name + " hears a token behind its end");
        }
        tokens.add(token.id());
        return tokens.size() < stopsAfter;
    }

    @Override
    public void onEnd(GenerationEnd how) {
        end = Optional.of(how);
        ends(how.reason().toString());
    }

    @Override
    public void onError(VarveException reason) {
        error = Optional.of(reason);
        ends(reason.kind().toString());
    }

    private void ends(String how) {
        simulation.event(name + " ends after " + tokens.size() + " tokens: " + how);
        ends++;
        over.countDown();
    }

    /** Records that the engine accepted the request. */
    void accepted() {
        accepted = true;
    }

    boolean isAccepted() {
        return accepted;
    }

    void await() throws InterruptedException {
        over.await();
    }

    List<Integer> tokens() {
        return tokens;
    }

    Optional<GenerationEnd> end() {
        return end;
    }

    Optional<VarveException> error() {
        return error;
    }

    /** Returns how many end events were received. */
    int ends() {
        return ends;
    }

    @Override
    public String toString() {
        return name + ": " + tokens.size() + " tokens " + end + error;
    }
}
