package dev.varve.platform.http.live;

import dev.varve.platform.http.access.Caller;

import java.util.Comparator;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.UUID;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.atomic.AtomicLong;

/** The active requests by their ids. Thread-safe. */
public final class ActiveRequests {
    private static final String PREFIX = "req_";

    private final Map<String, ActiveRequest> requests = new ConcurrentHashMap<>();
    private final AtomicLong numbers = new AtomicLong();

    /** Makes an empty registry. */
    public ActiveRequests() {}

    /** Adds a request, until it is closed. */
    public ActiveRequest begin(ActiveRequest.RequestIdentity origin, Caller caller) {
        String id = PREFIX + UUID.randomUUID().toString().replace("-", "");
        ActiveRequest answer =
                new ActiveRequest(
                        id, numbers.getAndIncrement(), origin, caller, () -> requests.remove(id));
        requests.put(id, answer);
        return answer;
    }

    /** Returns the current requests, in the order of arrival. */
    public List<ActiveRequest> all() {
        return requests.values().stream()
                .sorted(Comparator.comparingLong(ActiveRequest::number))
                .toList();
    }

    /** Returns a request by the id of its response, which its client knows, or by its own. */
    public Optional<ActiveRequest> findResponse(String id) {
        return find(id).or(
                        () ->
                                requests.values().stream()
                                        .filter(each -> each.hasResponse(id))
                                        .findFirst());
    }

    /** Returns a request by its id, if it is active. */
    public Optional<ActiveRequest> find(String id) {
        return Optional.ofNullable(requests.get(id));
    }
}
