package dev.varve.dist;

import tools.jackson.databind.json.JsonMapper;
import tools.jackson.databind.node.ArrayNode;

import java.io.IOException;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Optional;

/**
 * Sends a request where the longest beginning of it was answered, and what is new, whatever its
 * system prompt, to the server with the fewest requests, as gateways do. A server that does not
 * answer is not asked again.
 */
final class RoutingClient {
    private static final JsonMapper JSON = new JsonMapper();

    /** A server and what it has in hand. */
    private static final class Target {
        private final Varve.Server server;
        private int running;
        private boolean gone;

        Target(Varve.Server server) {
            this.server = server;
        }
    }

    private final ChatClient client;
    private final List<Target> targets;
    private final Map<String, Target> beginnings = new HashMap<>();

    RoutingClient(ChatClient client, List<Varve.Server> servers) {
        this.client = client;
        targets = servers.stream().map(Target::new).toList();
    }

    /** The answer to the last of some messages, to which it is added. */
    ChatClient.Answer ask(ArrayNode messages, int tokens) throws InterruptedException {
        while (true) {
            Target target = choose(messages);
            try {
                ChatClient.Answer answer = client.ask(target.server, messages, tokens);
                messages.add(ChatClient.message("assistant", answer.text()));
                end(target, Optional.of(messages));
                return answer;
            } catch (IOException e) {
                target.gone = true;
                end(target, Optional.empty());
            }
        }
    }

    private synchronized Target choose(ArrayNode messages) {
        List<Target> there = targets.stream().filter(target -> !target.gone).toList();
        Target chosen =
                beginningsOf(messages).reversed().stream()
                        .map(beginnings::get)
                        .filter(there::contains)
                        .findFirst()
                        .orElseGet(
                                () ->
                                        there.stream()
                                                .min(Comparator.comparingInt(each -> each.running))
                                                .orElseThrow());
        chosen.running++;
        return chosen;
    }

    private synchronized void end(Target target, Optional<ArrayNode> answered) {
        target.running--;
        answered.ifPresent(
                messages ->
                        beginningsOf(messages)
                                .forEach(each -> beginnings.putIfAbsent(each, target)));
        answered.ifPresent(messages -> beginnings.put(beginningsOf(messages).getLast(), target));
    }

    private static List<String> beginningsOf(ArrayNode messages) {
        List<String> all = new ArrayList<>();
        ArrayNode beginning = JSON.createArrayNode();
        messages.forEach(
                message -> {
                    beginning.add(message);
                    all.add(beginning.toString());
                });
        return all.subList(1, all.size());
    }
}
