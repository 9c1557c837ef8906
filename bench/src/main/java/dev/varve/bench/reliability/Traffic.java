package dev.varve.bench.reliability;

import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.Semaphore;
import java.util.concurrent.atomic.AtomicInteger;
import java.util.function.Consumer;
import java.util.function.Supplier;
import java.util.stream.Stream;

/** Clients that send a mix of requests at once, and one that kills processes beside them. */
final class Traffic {
    private final List<Client> clients;
    private final Mix mix;
    private final Consumer<String> notes;
    private final ShardKiller killer;
    private final Tally tally = new Tally();
    private final AtomicInteger next = new AtomicInteger();

    /** One permit for each kill that is due. */
    private final Semaphore due = new Semaphore(0);

    /**
     * @param clients one for each key
     * @param processes children of the server
     * @param notes accepts a line for each request that went wrong
     */
    Traffic(
            List<Client> clients,
            Mix mix,
            Supplier<Stream<ProcessHandle>> processes,
            Consumer<String> notes) {
        this.clients = clients;
        this.mix = mix;
        this.notes = notes;
        killer = new ShardKiller(processes, clients.getFirst()::isHealthy, new Random(mix.seed()));
    }

    /**
     * Sends requests, and returns when all have ended.
     *
     * @param atOnce how many at a time
     * @param killEvery requests between two kills; 0: none
     */
    void run(int requests, int atOnce, int killEvery) throws InterruptedException {
        Thread kills = Thread.ofPlatform().daemon(true).name("kills").start(this::killWhenDue);
        List<Thread> threads = new ArrayList<>();
        for (int i = 0; i < atOnce; i++) {
            threads.add(
                    Thread.ofVirtual().name("client-" + i).start(() -> send(requests, killEvery)));
        }
        for (Thread thread : threads) {
            thread.join();
        }
        kills.interrupt();
    }

    private void send(int requests, int killEvery) {
        for (int number = next.getAndIncrement();
                number < requests;
                number = next.getAndIncrement()) {
            if (killEvery > 0 && number % killEvery == killEvery / 2) {
                due.release();
            }
            Mix.Draw draw = mix.draw(number, clients.size());
            int phase = killer.phase();
            Outcome outcome =
                    clients.get(draw.key()).ask(draw.question(), draw.conduct(), draw.patience());
            String trouble =
                    tally.add(
                            draw.question(),
                            draw.conduct(),
                            outcome,
                            mix.expected(draw.question()),
                            killer.wasMissing(phase));
            if (!trouble.isEmpty()) {
                notes.accept("request " + number + ", " + trouble);
            }
        }
    }

    private void killWhenDue() {
        try {
            while (true) {
                due.acquire();
                killer.kill();
            }
        } catch (InterruptedException e) {
            // All requests have ended.
        }
    }

    /** Whether no unexpected failure occurred. */
    boolean isGood() {
        return tally.isGood();
    }

    /** One line with all counts. */
    String summary() {
        return tally.summary(killer.kills());
    }
}
