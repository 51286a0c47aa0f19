//! Trees of a small profile, whose numbers can be added up by hand.

use super::*;
use crate::base::units::{Bytes, Nanos};
use crate::incident::error::WindowError;
use crate::profile::{BandKeyRef, CallNode, CostCentre, Profile, ProfileBuilder, Source};
use crate::slice::Slice;

fn define(builder: &mut ProfileBuilder) {
    let centres = [
        (1, "main", "Main"),
        (2, "f", "Main"),
        (3, "f", "Main"),
        (4, "CAF", "Data.Map"),
        (5, "GC", "GC"),
    ];
    for (id, label, module) in centres {
        builder.define_cost_centre(id, CostCentre::new(label, module, format!("M.hs:{id}:1-9")));
    }
}

/// Two samples, at 1 s and 3 s.
fn heap() -> Profile {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    define(&mut builder);
    let samples: [&[(&[u32], u64)]; 2] = [
        &[(&[], 5), (&[2, 1], 10), (&[3, 1], 20), (&[1], 1), (&[2, 4], 4)],
        &[(&[], 5), (&[2, 1], 30), (&[1], 1)],
    ];
    for (points, seconds) in samples.into_iter().zip([1, 3]) {
        builder.stack_sample(seconds * 1_000_000_000, points.iter().copied());
    }
    builder.finish()
}

fn tree(profile: &Profile, at: &str, roots: Roots) -> StackTree {
    let slice = Slice::whole(profile);
    let moment = at.parse::<Instant>().unwrap().find(&slice).unwrap();
    StackTree::new(&of_heap(&slice, &moment).unwrap(), roots).unwrap()
}

#[test]
fn the_mean_is_weighted_by_time_and_instants_are_found() {
    let profile = heap();
    assert_eq!(tree(&profile, "mean", Roots::default()).root().total, 5 + 1 + 20 + 10 + 2);
    assert_eq!(tree(&profile, "2.5s", Roots::default()).subject.words, "at 3 s");
    assert_eq!(tree(&profile, "last", Roots::default()).root().total, 36);
    let slice = Slice::whole(&profile);
    let missing = "phase".parse::<Instant>().unwrap().find(&slice);
    let (text, markers) = ("phase".to_owned(), Vec::new());
    assert_eq!(missing, Err(WindowError::NoMarker { text, markers }));
}

#[test]
fn pseudo_stacks_are_left_out_of_time() {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    define(&mut builder);
    for (stack, times) in [(&[5][..], 7), (&[2, 1], 3), (&[], 1)] {
        for _ in 0..times {
            builder.tick(Nanos::ZERO, 0, stack).unwrap();
        }
    }
    let profile = builder.finish();
    let slice = Slice::whole(&profile);
    let stacks = of_calls(&slice, Weight::Time).unwrap();
    assert_eq!((stacks.total(), stacks.subject.outside), (4, 7));
    let missing = of_calls(&slice, Weight::Alloc).map(|_| ());
    assert_eq!(missing, Err(TreeError::Absent(Weight::Alloc)));
}

/// Deep stacks that have nothing in common: of their nodes the widest are made, and nothing is lost.
#[test]
fn only_the_widest_nodes_are_made_and_the_others_are_counted() {
    let mut builder = ProfileBuilder::new(Source::Eventlog);
    for stack in 0..200_u32 {
        let ids: Vec<u32> = (1000 * stack..1000 * stack + 254).collect();
        let band = builder.band(BandKeyRef::Stack(&ids)).unwrap();
        builder.point(band, Bytes::new(1000 + u64::from(stack)));
    }
    builder.seal_sample(Nanos::ZERO);
    let profile = builder.finish();
    let slice = Slice::whole(&profile);
    let stacks = of_heap(&slice, &Instant::Last.find(&slice).unwrap()).unwrap();
    let paths = Paths::new(&stacks, Roots::default()).unwrap();
    assert_eq!(paths.by_amount().len(), 200);
    let whole = StackTree::of_paths(&paths, TreeSize::default());
    assert_eq!((whole.nodes.len(), whole.left_out()), (200 * 254 + 1, 0));
    let total = whole.root().total;
    let adds_up = |tree: &StackTree| {
        for node in &tree.nodes {
            let below: u128 = node.children.iter().map(|&child| tree.node(child).total).sum();
            assert_eq!(node.own + below + node.left_out, node.total);
            assert!(
                node.children.is_sorted_by_key(|&child| std::cmp::Reverse(tree.node(child).total))
            );
        }
        assert!(tree.nodes.is_sorted_by_key(|node| std::cmp::Reverse(node.total)));
        assert_eq!(tree.root().total, total);
    };
    adds_up(&whole);
    let few = StackTree::of_paths(&paths, TreeSize { most_nodes: 1000, ..TreeSize::default() });
    adds_up(&few);
    assert_eq!(few.nodes.len(), 1000);
    assert!(few.left_out() > 0);
    let widest = 1199.0 / total as f64;
    let wide = StackTree::of_paths(&paths, TreeSize { least_share: widest, ..TreeSize::default() });
    adds_up(&wide);
    assert_eq!((wide.nodes.len(), wide.left_out()), (255, total - 1199));
}

/// A hundred thousand functions, each called by the one before it.
#[test]
fn stacks_of_very_many_levels_keep_their_inner_ends() {
    let mut builder = ProfileBuilder::new(Source::Prof);
    define(&mut builder);
    builder.calls.alloc = crate::profile::Exactness::Exact;
    let mut parent = None;
    for _ in 0..100_000 {
        let counts = CallNode { alloc: 1, ..CallNode::default() };
        parent = Some(builder.call(parent, 2, counts).unwrap());
    }
    builder
        .call(Some(crate::profile::CallId::MAIN), 1, CallNode { alloc: 7, ..CallNode::default() })
        .unwrap();
    let profile = builder.finish();
    let stacks = of_calls(&Slice::whole(&profile), Weight::Alloc).unwrap();
    let levels: usize = stacks.stacks.iter().map(|stack| stack.frames.len()).sum();
    assert!(levels <= 2_100_000, "{levels}");
    let amounts: u128 = stacks.stacks.iter().map(|stack| stack.amount).sum();
    assert_eq!(amounts, 100_007);
    let mut last = stacks.stacks.iter().rev();
    let (shallow, deep) = (last.next().unwrap(), last.next().unwrap());
    assert_eq!(&*stacks.frame(deep.frames[0]).name, "…");
    assert_eq!(shallow.frames.len(), 1);
}
