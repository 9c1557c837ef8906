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
public final class LiveAnswers {
    private static final String PREFIX = "req_";

    private final Map<String, LiveAnswer> answers = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    /** Nobody has asked anything. */
    public LiveAnswers() {}

    /** Takes an answer in, until it is closed. */
    public LiveAnswer begin(LiveAnswer.Origin origin, Caller caller) {
        String id = PREFIX + UUID.randomUUID().toString().replace("-", "");
        LiveAnswer answer =
                new LiveAnswer(
                        id, numbers.getAndIncrement(), origin, caller, () -> answers.remove(id));
        answers.put(id, answer);
        return answer;
    }

    /** Those of this moment, in the order in which they came. */
    public List<LiveAnswer> all() {
        return answers.values().stream()
                .sorted(Comparator.comparingLong(LiveAnswer::number))
                .toList();
    }

    /** One of them, if it is there. */
    public Optional<LiveAnswer> find(String id) {
        return Optional.ofNullable(answers.get(id));
    }
}
