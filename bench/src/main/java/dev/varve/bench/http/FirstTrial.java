package dev.varve.bench.http;

import dev.varve.bench.http.stream.ChatClient;
import dev.varve.bench.http.stream.ChatRequest;
import dev.varve.bench.http.stream.Replies;
import dev.varve.bench.http.stream.ServerFailure;

import java.io.IOException;
import java.net.http.HttpClient;
import java.time.Duration;
import java.util.Map;
import java.util.Optional;

/**
 * A server from the start of its process to its first answer.
 *
 * @param limit how long the start may take, and then the answer
 */
record FirstTrial(HttpClient http, Launch launch, Duration limit) implements Trial {
    /**
     * Interval at which the trial polls whether the server is ready; it bounds the figure's
     * precision.
     */
    private static final Duration LOOK = Duration.ofMillis(5);

    private static final ChatRequest QUESTION = new ChatRequest("Hello", 1);

    @Override
    public Sample run(int round) throws InterruptedException {
        try (ServerProcess server = ServerProcess.start(launch.command())) {
            ChatClient client = new ChatClient(http, launch.at(server.uri()), limit);
            Optional<ServerFailure> last = Optional.empty();
            while (server.age() < limit.toNanos()) {
                if (server.listens()) {
                    try {
                        Replies.await(client.stream(QUESTION));
                        return new Sample(Map.of(Metric.FIRST_ANSWER, server.age() / 1e6));
                    } catch (ServerFailure.NotReady e) {
                        last = Optional.of(e);
                    }
                }
                server.pause(LOOK);
            }
            throw server.failure(
                    "no answer within "
                            + limit.toSeconds()
                            + " s, "
                            + last.map(ServerFailure::getMessage).orElse("nobody listens"));
        } catch (IOException e) {
            throw new ServerFailure("the command could not be started: " + e.getMessage(), e);
        }
    }
}
