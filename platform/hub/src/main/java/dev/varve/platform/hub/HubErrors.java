package dev.varve.platform.hub;

import dev.varve.api.VarveException;

/** Messages for responses of the hub that another attempt does not change. */
final class HubErrors {
    private final HubSettings settings;

    HubErrors(HubSettings settings) {
        this.settings = settings;
    }

    /** Describes a refused request for a repository, with the remedy. */
    VarveException of(HubReference reference, Reply reply) {
        String repository = reference.repository();
        String gated =
                "the model is gated: accept its conditions at "
                        + settings.page(reference)
                        + " with your account";
        boolean isGated = "GatedRepo".equals(reply.header("x-error-code").orElse(""));
        String setToken = "; then set HF_TOKEN to an access token of it";
        return failure(
                repository
                        + ": "
                        + switch (reply.status()) {
                            case 401 ->
                                    (isGated
                                                    ? gated
                                                    : "its name is wrong, or it is private or"
                                                            + " gated: look at "
                                                            + settings.page(reference)
                                                            + " with your account")
                                            + (settings.token().isEmpty()
                                                    ? setToken
                                                    : "; the hub does not accept the token of"
                                                            + " HF_TOKEN");
                            case 403 ->
                                    (isGated ? gated : "the hub refuses access with status 403")
                                            + (settings.token().isEmpty()
                                                    ? isGated
                                                            ? setToken
                                                            : "; set HF_TOKEN to an access token"
                                                    : "; the account of the token in HF_TOKEN has"
                                                            + " no access yet");
                            case 404 -> "the hub has no such repository or file";
                            default -> unexpected(reply);
                        });
    }

    /** Describes a refused request for a URL. */
    static VarveException of(Reply reply) {
        return failure(
                switch (reply.status()) {
                    case 401, 403 ->
                            HubHttp.plain(reply.uri())
                                    + ": the server refuses access with status "
                                    + reply.status();
                    case 404 -> HubHttp.plain(reply.uri()) + ": no such file (status 404)";
                    default -> unexpected(reply);
                });
    }

    private static String unexpected(Reply reply) {
        return HubHttp.plain(reply.uri()) + ": expected status 200 or 206, found " + reply.status();
    }

    private static VarveException failure(String message) {
        return new VarveException(VarveException.Kind.INVALID_REQUEST, message);
    }
}
