package dev.varve.platform.http.live;

import dev.varve.platform.http.access.Caller;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The answers that are being made, by their ids. Thread-safe. */
public final class ActiveRequests {
    private static final String PREFIX = "req_";

    private final Map<String, ActiveRequest> answers = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    /** Nobody has asked anything. */
    public ActiveRequests() {}

    /** Takes an answer in, until it is closed. */
    public ActiveRequest begin(ActiveRequest.Origin origin, Caller caller) {
        String id = PREFIX + UUID.randomUUID().toString().replace("-", "");
        ActiveRequest answer =
                new ActiveRequest(
                        id, numbers.getAndIncrement(), origin, caller, () -> answers.remove(id));
        answers.put(id, answer);
        return answer;
    }

    /** Those of this moment, in the order in which they came. */
    public List<ActiveRequest> all() {
        return answers.values().stream()
                .sorted(Comparator.comparingLong(ActiveRequest::number))
                .toList();
    }

    /** One of them, if it is there. */
    public Optional<ActiveRequest> find(String id) {
        return Optional.ofNullable(answers.get(id));
    }
}
