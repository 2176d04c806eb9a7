#!/usr/bin/env perl
# A bot for UNO in Perl, core modules only: it plays the card that would cost it most, and calls the colour it holds most of.
# In Hanabi it discards its oldest card, or makes whatever move comes first.
use strict;
use warnings;
use JSON::PP;

$| = 1;                                   # every answer leaves at once
my $json = JSON::PP->new->utf8->canonical;
my $game = "uno";

sub points {
    my ($card) = @_;
    return 50 if $card =~ /^wild/;
    return $card =~ /^[rgby](\d)$/ ? $1 : 20;
}

sub uno_action {
    my ($view, $legal) = @_;
    my %held = map { $_ => 0 } qw(r g b y);
    $held{substr $_, 0, 1}++ for grep { !/^wild/ } @{ $view->{hand} };
    my ($colour) = sort { $held{$b} <=> $held{$a} || $a cmp $b } keys %held;
    my @plays = grep { my ($card) = split /:/; grep { $_ eq $card } @{ $view->{playable} } } @$legal;
    @plays = grep { !/:/ || /:$colour$/ } @plays;
    my ($best) = sort { points((split /:/, $b)[0]) <=> points((split /:/, $a)[0]) || $a cmp $b } @plays;
    return $best // $legal->[0];
}

sub hanabi_action {
    my ($view, $legal) = @_;
    my ($discard) = grep { $_ eq "discard:0" } @$legal;
    my ($hint) = grep { /^hint/ } @$legal;
    return $discard // $hint // $legal->[0];
}

while (my $line = <STDIN>) {
    my $message = $json->decode($line);
    my $type = $message->{type};
    if ($type eq "hello") {
        $game = $message->{game};
        print $json->encode({ type => "hello", protocol => 1, name => "greedy client" }), "\n";
    } elsif ($type eq "decide") {
        my $choose = $game eq "uno" ? \&uno_action : \&hanabi_action;
        my $action = $choose->($message->{view}, $message->{legal});
        print $json->encode({ type => "action", id => $message->{id}, action => $action }), "\n";
    } elsif ($type eq "bye") {
        last;
    }
}
