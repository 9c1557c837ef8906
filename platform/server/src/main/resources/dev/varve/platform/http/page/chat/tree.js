// The messages of a conversation form a tree: an edited question and a regenerated response are further
// versions beside the earlier one. Each message names the order of the message before it, which is
// smaller than its own, or ROOT.

/** Parent of the first message. */
export const ROOT = -1;

/** Sets the parents of messages in ascending order that lack a valid one: the message before them. */
export function withParents(messages) {
    const orders = new Set([ROOT]);
    let former = ROOT;
    for (const message of messages) {
        if (!orders.has(message.parent)) {
            message.parent = former;
        }
        former = message.order;
        orders.add(former);
    }
    return messages;
}

/** Messages from the first one to the one with an order, or to the newest one. */
export function path(messages, leaf) {
    const byOrder = new Map(messages.map(message => [message.order, message]));
    const found = [];
    let message = byOrder.get(leaf) ?? messages.at(-1);
    while (message) {
        found.push(message);
        const parent = byOrder.get(message.parent);
        message = parent?.order < message.order ? parent : null;
    }
    return found.reverse();
}

/** All versions of a message, itself included, the oldest first. */
export function versions(messages, message) {
    return messages.filter(each => each.parent === message.parent && each.role === message.role);
}

/** Order of the newest message that follows from a message. */
export function newestLeaf(messages, message) {
    const below = new Set([message.order]);
    let leaf = message.order;
    for (const each of messages) {
        if (below.has(each.parent)) {
            below.add(each.order);
            leaf = each.order;
        }
    }
    return leaf;
}
