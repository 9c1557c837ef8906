package dev.varve.platform.http;

import dev.varve.platform.http.access.RouteAccess;
import dev.varve.platform.http.answer.RequestOutcome;
import dev.varve.platform.http.json.ApiException;
import dev.varve.platform.http.json.JsonResponse;
import dev.varve.platform.http.model.CachedPrefixReport;
import dev.varve.platform.http.serving.RunningModel;
import dev.varve.platform.prefix.CacheEntry;

import java.io.IOException;
import java.util.Arrays;
import java.util.List;
import java.util.Optional;
import java.util.regex.Pattern;

/**
 * {@code GET /cache?limit=N&model=ID}: lists the prefixes that host memory can restore for a model,
 * the most recently used first; an empty list while the model is not loaded.
 */
final class CacheListRoute extends Route {
    private static final long serialVersionUID = 1L;

    private static final String LIMIT = "limit=";
    private static final int USUAL_LIMIT = 100;
    private static final int MOST = 1000;
    private static final Pattern DIGITS = Pattern.compile("[0-9]{1,4}");

    private final transient OfferedModels offer;

    CacheListRoute(RequestLifecycle cycle, OfferedModels offer) {
        super("/cache", RouteAccess.OPERATION, Methods.READ, cycle);
        this.offer = offer;
    }

    @Override
    RequestOutcome answer(Exchange exchange) throws IOException, InterruptedException {
        int limit = limit(Optional.ofNullable(exchange.request().getQueryString()).orElse(""));
        Optional<RunningModel> model =
                offer.view(RequestedModel.inQuery(exchange.request())).running();
        List<CacheEntry> entries =
                model.isPresent()
                        ? EngineFutures.await(model.get().served().engine().cacheEntries())
                        : List.of();
        JsonResponse.write(exchange.response(), 200, CachedPrefixReport.entries(entries, limit));
        return RequestOutcome.PLAIN;
    }

    /** Reads the limit without decoding escapes: a number needs none. */
    private static int limit(String query) {
        return Arrays.stream(query.split("&"))
                .filter(part -> part.startsWith(LIMIT))
                .map(part -> number(part.substring(LIMIT.length())))
                .findFirst()
                .orElse(USUAL_LIMIT);
    }

    private static int number(String text) {
        int number = DIGITS.matcher(text).matches() ? Integer.parseInt(text) : 0;
        if (number < 1 || number > MOST) {
            throw ApiException.invalid("limit", "limit: expected a whole number from 1 to " + MOST);
        }
        return number;
    }
}
